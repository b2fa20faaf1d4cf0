import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { GenerationRecord, Reread } from '../kernel/request/request-record.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type {
  ChatGeneration,
  Engine,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from './engine.ts';
import { minPromptTokens, type PromptMemory } from './rereads/prompt-memory.ts';
import { logTexts, recordOutput, recordPrompt } from './record-texts.ts';
import { addDrafts, type GenerationReport, type InterruptedReport } from './session-event.ts';
import { withAnswer, withText, type CachedPrompt, type PrefixHash } from './states/prefix-hash.ts';

type EndEvent = Extract<GenerationEvent, { readonly type: 'generation.end' }>;
export type CutEvent = Extract<GenerationEvent, { readonly type: 'generation.cut' }>;

interface CallText {
  name: string;
  argumentsJson: string;
}

/** Collects the answer of a generation from its events. */
export class AnswerRecorder {
  content = '';
  reasoning = '';
  /** Tokens of the answer so far: the number of the engine's deltas. */
  tokens = 0;
  /** Undefined until the engine reports it. */
  promptTokens: number | undefined;
  /** Set when the generation has ended. */
  usage: GenerationUsage | undefined;
  readonly #calls: CallText[] = [];
  #processedTokens = 0;

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  /** The next part reads the prompt again, perhaps in another slot. */
  beginPart(): void {
    this.promptTokens = undefined;
    this.#processedTokens = 0;
  }

  accept(event: GenerationEvent): void {
    switch (event.type) {
      case 'prompt.progress':
        this.#processedTokens = event.processedTokens;
        this.promptTokens = event.totalTokens;
        break;
      case 'reasoning.delta':
        this.reasoning += event.text;
        this.tokens += event.tokens ?? 1;
        break;
      case 'content.delta':
        this.content += event.text;
        this.tokens += event.tokens ?? 1;
        break;
      case 'toolCall.delta': {
        const call = (this.#calls[event.index] ??= { name: '', argumentsJson: '' });
        call.name += event.name ?? '';
        call.argumentsJson += event.argumentsJson;
        this.tokens += 1;
        break;
      }
      case 'generation.end':
        this.usage = event.usage;
        break;
      default:
    }
  }

  /**
   * The content of the slot: the prompt, and the answer if the generation has ended. An answer with reasoning does
   * not count: chat templates drop the reasoning of earlier answers, so the next prompt differs from the slot where
   * the reasoning begins.
   */
  slotContent(
    request: GenerationRequest,
    prompt: PrefixHash,
  ): Pick<CachedPrompt, 'prefix' | 'tokens' | 'heldTokens'> {
    if (this.usage === undefined) {
      return { prefix: prompt, tokens: this.#processedTokens, heldTokens: this.#processedTokens };
    }
    const { promptTokens, completionTokens } = this.usage;
    const heldTokens = promptTokens + completionTokens;
    if (this.reasoning !== '') return { prefix: prompt, tokens: promptTokens, heldTokens };
    const prefix =
      request.kind === 'completion'
        ? withText(prompt, this.content)
        : withAnswer(prompt, { content: this.content, toolCalls: this.#calls.filter(Boolean) });
    return { prefix, tokens: heldTokens, heldTokens };
  }

  /**
   * True if the slot contains reasoning that the next prompt leaves out. False if the answer has calls, since the
   * next prompt then keeps the reasoning.
   */
  isUnsettled(request: GenerationRequest): request is ChatGeneration {
    if (this.reasoning === '' || this.content === '' || this.hasCalls) return false;
    return this.usage !== undefined && request.kind === 'chat';
  }

  /** The conversation with the answer as the next turn sends it: without reasoning. */
  historyWithoutReasoning(request: ChatGeneration): ChatGeneration {
    const answer = { role: 'assistant', content: this.content } as const;
    return { ...request, messages: [...request.messages, answer] };
  }

  /** The prefix hashes of `historyWithoutReasoning`. */
  prefixWithoutReasoning(prompt: PrefixHash): PrefixHash {
    return withAnswer(prompt, { content: this.content, toolCalls: [] });
  }
}

/** Measures one generation, which may have run in several parts, and records its answer. */
export class GenerationAccount {
  readonly request: GenerationRequest;
  readonly #startedAt: number;
  readonly #prompts: PromptMemory | undefined;
  answer = new AnswerRecorder();
  #record: GenerationRecord | undefined;
  #firstTokenAt: number | undefined;
  #partAt = 0;
  /** Figures of all parts before the last one. */
  #before: GenerationUsage | undefined;
  #reasoningTokensBefore = 0;

  /**
   * @param startedAt Time from which the time to the first token is measured; a value of `performance.now()`.
   * @param prompts Earlier prompts, to explain why tokens were read again.
   */
  constructor(request: GenerationRequest, startedAt = performance.now(), prompts?: PromptMemory) {
    this.request = request;
    this.#startedAt = startedAt;
    this.#prompts = prompts;
  }

  get hasOutput(): boolean {
    return this.answer.tokens > 0;
  }

  /** Begins a part. Must be called before the engine reads the prompt. */
  async begin(engine: Engine, context: RequestContext): Promise<void> {
    this.#partAt = performance.now();
    if (this.#record !== undefined) return;
    this.#record = context.record.beginGeneration(this.request.kind);
    if (this.#record.texts !== undefined) {
      await recordPrompt(this.#record, engine, this.request, context);
    }
  }

  note(event: GenerationEvent): void {
    this.answer.accept(event);
    if (event.type === 'prompt.progress') return;
    this.#firstTokenAt ??= performance.now();
    this.#record?.noteTokens('tokens' in event ? event.tokens : 1);
    if (this.#record?.texts !== undefined) recordOutput(this.#record, event);
  }

  async end(event: EndEvent, engine: Engine, context: RequestContext): Promise<GenerationReport> {
    const { type: _, reasoningTokens: counted, usage: last, ...end } = event;
    const usage = this.#before === undefined ? last : this.#total(last, this.#before);
    this.answer.usage = usage;
    const reread =
      usage.promptTokens < minPromptTokens ? undefined : this.#reread(usage, engine, context);
    this.#record?.end({ ...end, usage, ...omitUndefined({ reread }) });
    const { reasoning } = this.answer;
    const reasoningTokens =
      counted === undefined
        ? reasoning === ''
          ? 0
          : await engine.countTokens(reasoning, context)
        : this.#reasoningTokensBefore + counted;
    return { ...end, usage, reasoningTokens, timeToFirstTokenSeconds: this.#firstTokenSeconds };
  }

  /** Explains why tokens of the prompt were read again. */
  #reread(usage: GenerationUsage, engine: Engine, context: RequestContext): Reread | undefined {
    const generation = { engine, request: this.request, usage, answer: this.answer.content };
    return this.#prompts?.note(generation, context);
  }

  /** Records a generation that is about to fail. */
  cut({ usage: last, reasoningTokens: counted }: CutEvent): InterruptedReport {
    const usage = this.#measured(last);
    this.#record?.end({ usage, hasFailed: true });
    const reasoningTokens = this.#reasoningTokensBefore + counted;
    return { usage, reasoningTokens, timeToFirstTokenSeconds: this.#firstTokenSeconds };
  }

  /** Records the end of a part that is continued later. */
  pause({ usage, reasoningTokens }: CutEvent): void {
    // The engine's count includes tokens that no client has received. The next part generates them again.
    const completionTokens = this.answer.tokens;
    this.#before = { ...this.#measured(usage), completionTokens };
    this.#reasoningTokensBefore += reasoningTokens;
  }

  /** Forgets the answer, since the generation starts again. */
  restart(): void {
    this.#record?.end({ hasFailed: true });
    this.#record = undefined;
    this.answer = new AnswerRecorder();
    this.#before = undefined;
    this.#reasoningTokensBefore = 0;
    this.#firstTokenAt = undefined;
  }

  /** Ends the record. A generation that did not report its end has failed, or its client has disconnected. */
  close(context: RequestContext): void {
    if (this.#record?.endMs === undefined) {
      this.#record?.end({ hasFailed: true, ...omitUndefined({ usage: this.#received }) });
    }
    if (this.#record?.texts !== undefined) logTexts(this.#record, context);
  }

  /** Figures of an answer that the engine did not report. */
  get #received() {
    const { tokens: completionTokens } = this.answer;
    const { promptTokens = this.answer.promptTokens, cachedTokens = 0 } = this.#before ?? {};
    if (completionTokens === 0 || promptTokens === undefined) return undefined;
    return { promptTokens, cachedTokens, completionTokens };
  }

  get #firstTokenSeconds(): number {
    return ((this.#firstTokenAt ?? performance.now()) - this.#startedAt) / 1000;
  }

  /** The figures so far. Measures the generation time, which the engine reports only at the end. */
  #measured(usage: GenerationUsage): GenerationUsage {
    const now = performance.now();
    const since = Math.max(this.#partAt, this.#firstTokenAt ?? now);
    const last = { ...usage, generationMs: now - since };
    return this.#before === undefined ? last : this.#total(last, this.#before);
  }

  /** Adds up the parts. Only the first part counts the prompt, since later prompts contain the answer so far. */
  #total(last: GenerationUsage, before: GenerationUsage): GenerationUsage {
    const tokens = last.promptTokens - before.promptTokens;
    return {
      ...before,
      completionTokens: Math.max(before.completionTokens, tokens) + last.completionTokens,
      generationMs: before.generationMs + last.promptMs + last.generationMs,
      ...omitUndefined({ drafts: addDrafts(before.drafts, last.drafts) }),
    };
  }
}
