import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { GenerationRecord } from '../telemetry/request-record.ts';
import type { RequestContext } from '../telemetry/request-context.ts';
import type { Engine, GenerationEvent, GenerationRequest, GenerationUsage } from './engine.ts';
import type { PromptMemory } from './rereads/prompt-memory.ts';
import { logTexts, recordOutput, recordPrompt } from './record-texts.ts';
import type { GenerationReport, InterruptedReport } from './session-event.ts';
import { AnswerRecorder } from './states/answer-recorder.ts';

type EndEvent = Extract<GenerationEvent, { readonly type: 'generation.end' }>;
type CutEvent = Extract<GenerationEvent, { readonly type: 'generation.cut' }>;

/** Measures one generation, which may have run in several parts, and records its answer. */
export class GenerationAccount {
  readonly request: GenerationRequest;
  readonly #startedAt: number;
  readonly #prompts: PromptMemory | undefined;
  #answer = new AnswerRecorder();
  #record: GenerationRecord | undefined;
  #firstTokenAt: number | undefined;
  #partAt = 0;
  /** Figures of the parts before the last one. */
  #before: GenerationUsage | undefined;
  #reasoningTokensBefore = 0;

  /**
   * @param startedAt Start of the time to the first token; a value of `performance.now()`.
   * @param prompts Explains why a prompt was read again.
   */
  constructor(request: GenerationRequest, startedAt = performance.now(), prompts?: PromptMemory) {
    this.request = request;
    this.#startedAt = startedAt;
    this.#prompts = prompts;
  }

  get answer(): AnswerRecorder {
    return this.#answer;
  }

  get hasOutput(): boolean {
    return this.#answer.tokens > 0;
  }

  /** The engine is about to read the prompt. */
  async begin(engine: Engine, context: RequestContext): Promise<void> {
    this.#partAt = performance.now();
    if (this.#record !== undefined) return;
    this.#record = context.record.beginGeneration(this.request.kind);
    if (this.#record.texts !== undefined) {
      await recordPrompt(this.#record, engine, this.request, context);
    }
  }

  note(event: GenerationEvent): void {
    this.#answer.accept(event);
    if (event.type === 'prompt.progress') return;
    this.#firstTokenAt ??= performance.now();
    this.#record?.noteToken();
    if (this.#record?.texts !== undefined) recordOutput(this.#record, event);
  }

  async end(event: EndEvent, engine: Engine, context: RequestContext): Promise<GenerationReport> {
    const { type: _, reasoningTokens: counted, usage: last, ...end } = event;
    const usage = this.#total(last);
    this.#answer.accept({ ...event, usage });
    const answer = this.#answer.content;
    const generation = { engine, request: this.request, usage, answer };
    const reread = this.#prompts?.note(generation, context);
    this.#record?.end({ ...end, usage, ...omitUndefined({ reread }) });
    const { reasoning } = this.#answer;
    const reasoningTokens =
      counted === undefined
        ? reasoning === ''
          ? 0
          : await engine.countTokens(reasoning, context)
        : this.#reasoningTokensBefore + counted;
    return { ...end, usage, reasoningTokens, timeToFirstTokenSeconds: this.#firstTokenSeconds };
  }

  /** The generation will fail. */
  cut({ usage: last, reasoningTokens: counted }: CutEvent): InterruptedReport {
    const usage = this.#total(this.#measured(last));
    this.#record?.end({ usage, hasFailed: true });
    const reasoningTokens = this.#reasoningTokensBefore + counted;
    return { usage, reasoningTokens, timeToFirstTokenSeconds: this.#firstTokenSeconds };
  }

  /** A part ended that is continued later. */
  pause({ usage, reasoningTokens }: CutEvent): void {
    // The engine counts tokens that it wrote and no client got, which the next part writes again.
    const completionTokens = this.#answer.tokens;
    this.#before = { ...this.#total(this.#measured(usage)), completionTokens };
    this.#reasoningTokensBefore += reasoningTokens;
  }

  /** Forgets the answer: the generation begins again. */
  restart(): void {
    this.#record?.end({ hasFailed: true });
    this.#record = undefined;
    this.#answer = new AnswerRecorder();
    this.#before = undefined;
    this.#reasoningTokensBefore = 0;
    this.#firstTokenAt = undefined;
  }

  /** A generation that did not report its end has failed, or its client has disconnected. */
  close(context: RequestContext): void {
    this.#record?.end({ hasFailed: true });
    if (this.#record?.texts !== undefined) logTexts(this.#record, context);
  }

  get #firstTokenSeconds(): number {
    return ((this.#firstTokenAt ?? performance.now()) - this.#startedAt) / 1000;
  }

  /** Measures the time here: the engine reports its own only at the end. */
  #measured(usage: GenerationUsage): GenerationUsage {
    const now = performance.now();
    const since = Math.max(this.#partAt, this.#firstTokenAt ?? now);
    return { ...usage, generationMs: now - since };
  }

  /** The prompt counts as the first part read it; the prompt of a later part contains the answer so far. */
  #total(last: GenerationUsage): GenerationUsage {
    const before = this.#before;
    if (before === undefined) return last;
    const tokens = last.promptTokens - before.promptTokens;
    return {
      ...before,
      completionTokens: Math.max(before.completionTokens, tokens) + last.completionTokens,
      generationMs: before.generationMs + last.promptMs + last.generationMs,
      ...omitUndefined({ drafts: last.drafts ?? before.drafts }),
    };
  }
}
