import type { ChatGeneration, EngineMessage } from '../engine/engine.ts';
import type { InstanceLease } from '../instances/instance-lease.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { AcquiredInstance } from './acquire-instance.ts';
import { generate } from './generation.ts';
import { fitToolResult } from './fit-tool-result.ts';
import type { TurnPrompt } from './prepare-turn.ts';
import { roundMessages, type FinishedCall } from './prompt-messages.ts';
import { runToolRound, type CallOutcome } from './tool-round.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';
import { TurnTools } from './turn-tools.ts';

/** The part of the context that results leave to the answer: a fourth. */
const answerShare = 4;
/** Generations that follow, at most, where the model calls tools though it has none. */
const maxCorrections = 2;
/** Tokens that a chat template writes around a result, and the mark of a failed one. */
const markupTokens = 32;

interface TurnRun {
  readonly request: TurnRequest;
  readonly prompt: TurnPrompt;
  readonly instance: AcquiredInstance;
  readonly tools: TurnTools;
  readonly maxToolRounds: number;
  readonly recorder: TurnRecorder;
}

/**
 * Repeats generations and tool calls until the model answers or calls a client tool. After
 * `maxToolRounds` rounds of calls it must answer without tools. Others may use its slot in between.
 *
 * @throws The errors of `Engine.generate`; the reason of the lease's signal when aborted.
 */
export async function* runRounds(run: TurnRun): AsyncGenerator<TurnEvent> {
  const { request, prompt, instance, tools, maxToolRounds, recorder } = run;
  const { lease } = instance;
  const { promptContext } = prompt;
  const messages = [...prompt.prompt];
  let { startedAt } = instance;
  for (let round = 0; ; round += 1) {
    const mayCall = round < maxToolRounds;
    const generation = toGeneration(run, messages, round, mayCall);
    const callable = mayCall && request.toolChoice !== 'none' ? tools : TurnTools.none();
    const recording = recorder.beginRound(callable);
    await lease.admitPrompt(generation);
    const steps = lease.streamWithSlot((engine, context) =>
      generate(engine, generation, context, startedAt),
    );
    for await (const step of steps) yield* recorder.record(recording, step);
    const { calls } = recording;
    if (calls.length === 0) return;

    const finished: FinishedCall[] = [];
    const room = new ResultRoom(lease, recorder.contextTokens, tokensLeft(request, recorder));
    for await (const outcome of runToolRound(calls, round, lease.context)) {
      const position = finished.length;
      const written = calls[position]?.written;
      if (written === undefined) break;
      const fitted = await room.fit(outcome, calls.length - position);
      yield* recorder.recordOutcome(fitted, recording.callIndex(position));
      const { name, argumentsJson } = written;
      const { item, content } = fitted;
      const isError = item.type === 'toolCall' && item.isError;
      finished.push({ name, argumentsJson, content, isError });
    }
    if (calls.some(({ type }) => type === 'client')) return;
    if (tokensLeft(request, recorder) === 0) {
      recorder.overrideStopReason('maxPredictedTokensReached');
      return;
    }
    if (!mayCall || (callable.isEmpty && round >= maxCorrections)) {
      recorder.overrideStopReason('eosFound');
      return;
    }
    messages.push(...(await roundMessages(recording.messageText, finished, promptContext)));
    startedAt = performance.now();
  }
}

/** What is left of the context for the results of one round. */
class ResultRoom {
  readonly #lease: InstanceLease;
  #tokens: number;

  /**
   * @param contextTokens Tokens of the prompt and answer so far.
   * @param tokensToGenerate Most tokens of later answers; undefined: as many as there is room for.
   */
  constructor(lease: InstanceLease, contextTokens: number, tokensToGenerate = Infinity) {
    const { contextLength } = lease.capabilities;
    const answerTokens = Math.min(tokensToGenerate, Math.ceil(contextLength / answerShare));
    this.#lease = lease;
    this.#tokens = contextLength - contextTokens - answerTokens;
  }

  /** Cuts a result to its share of the remaining context; `count` results remain, including this one. */
  async fit(outcome: CallOutcome, count: number): Promise<CallOutcome> {
    const { item } = outcome;
    if (item.type !== 'toolCall') return outcome;
    const share = Math.floor(this.#tokens / count) - markupTokens;
    const { engine, context } = this.#lease;
    const { content, tokens } = await fitToolResult(
      item.tool,
      item.result,
      Math.max(0, share),
      (text) => engine.countTokens(text, context),
    );
    this.#tokens -= tokens + markupTokens;
    return { item: { ...item, result: content }, content };
  }
}

/** The limit holds for the turn, not for each of its generations. */
function tokensLeft(
  { maxOutputTokens }: TurnRequest,
  { completionTokens }: TurnRecorder,
): number | undefined {
  return maxOutputTokens === undefined
    ? undefined
    : Math.max(0, maxOutputTokens - completionTokens);
}

function toGeneration(
  { request, tools, recorder }: TurnRun,
  messages: readonly EngineMessage[],
  round: number,
  mayCall: boolean,
): ChatGeneration {
  const { sampling, stop, topLogprobs, reasoning, responseFormat, callsInParallel } = request;
  const definitions = tools.definitions();
  const maxTokens = tokensLeft(request, recorder);
  return {
    kind: 'chat',
    messages: [...messages],
    sampling,
    ...omitUndefined({
      stop,
      topLogprobs,
      reasoning,
      responseFormat,
      maxTokens,
      callsInParallel,
      tools: definitions.length === 0 ? undefined : definitions,
      toolChoice: toolChoiceOf(request, definitions.length > 0, round, mayCall),
    }),
  };
}

function toolChoiceOf(
  { toolChoice }: TurnRequest,
  hasTools: boolean,
  round: number,
  mayCall: boolean,
): ChatGeneration['toolChoice'] {
  // Without tools, the engine rejects a choice that requires one.
  if (!hasTools) return toolChoice;
  if (!mayCall) return 'none';
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  return isForced && round > 0 ? 'auto' : (toolChoice ?? 'auto');
}
