import { HearthError } from '../kernel/errors/errors.ts';
import type { ToolCallItem } from '../store/turns/turn-item.ts';
import type {
  ChatGeneration,
  EngineMessage,
  ToolChoice,
  ToolDefinition,
} from '../engines/engine.ts';
import type { Session } from '../engines/session.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Store } from '../store/store.ts';
import { useApprovals, runApprovedCalls, type AnsweredCall } from './approvals.ts';
import { dropTurns } from './drop-turns.ts';
import { fitToolResult } from './tool-results.ts';
import type { TurnPrompt } from './prepare-turn.ts';
import {
  approvalResults,
  type FinishedCall,
  putResults,
  roundMessages,
} from './prompt-messages.ts';
import { type CheckedCall, refuseCall } from './tool-call.ts';
import { type CallOutcome, runToolRound } from './tool-round.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';
import { TurnTools } from './turn-tools.ts';
import type { ToolContent } from '../store/turns/content.ts';

/** Tool results leave this fraction of the context (1/4) to the answer. */
const answerShare = 4;
/** Maximum number of additional generations if the model calls tools although it has none. */
const maxCorrections = 2;
/** Upper bound for the tokens that a chat template adds to a result, including the marker of a failure. */
const markupTokens = 32;

interface TurnRun {
  readonly request: TurnRequest;
  readonly prompt: TurnPrompt;
  readonly session: Session;
  /** Undefined if the turn has no tools. */
  readonly tools: TurnTools | undefined;
  readonly answeredCalls: readonly AnsweredCall[];
  readonly store: Store;
  readonly maxToolRounds: number;
  readonly recorder: TurnRecorder;
}

/**
 * Makes the approved calls of earlier turns. Then repeats generations and tool calls until the model answers, calls a
 * client tool or makes a call that needs an approval. After `maxToolRounds` rounds of calls, the model must answer
 * without tools. Between rounds, other requests may use the slot.
 *
 * @throws The errors of `Session.generate`; the reason of the session's signal when aborted.
 */
export async function* runRounds(run: TurnRun): AsyncGenerator<TurnEvent> {
  const { request, prompt, session, tools, maxToolRounds, recorder } = run;
  const { promptContext } = prompt;
  const messages = [
    ...(request.dropsOldTurns === true ? await fittingMessages(run) : prompt.prompt),
  ];
  let binary: BinaryBudget | undefined;
  let callsLeft = request.maxToolCalls ?? Infinity;
  if (run.answeredCalls.length > 0) {
    binary = new BinaryBudget();
    callsLeft -= yield* answerCalls(run, messages, binary);
  }
  for (let round = 0; ; round += 1) {
    const mayCall = round < maxToolRounds && callsLeft > 0;
    const generation = toGeneration(run, messages, round, mayCall);
    const callable = mayCall && request.toolChoice !== 'none' ? tools : undefined;
    recorder.beginRound(callable);
    // `yield*` of an array would create several promises per event.
    for await (const step of session.generate(generation)) {
      for (const event of recorder.record(step)) yield event;
    }
    recorder.noteInstance(session);
    if (recorder.calls.length === 0) return;
    const allowed = withinLimit(recorder.calls, round, callsLeft, request);
    const callIndex = (position: number): number => recorder.callIndex(position);
    const budget = (binary ??= new BinaryBudget());
    const { context } = session.lease;
    const calls =
      request.approveCalls === undefined
        ? allowed
        : yield* request.approveCalls(allowed, { round, callIndex, recorder, context });
    callsLeft -= calls.filter(({ type }) => type === 'valid').length;

    const finished: FinishedCall[] = [];
    const room = new ResultRoom(session, recorder.contextTokens, tokensLeft(request, recorder));
    for await (const outcome of runToolRound(calls, round, context)) {
      const position = finished.length;
      const written = calls[position]?.written;
      if (written === undefined) break;
      const limited = withResult(outcome, (result) => budget.limit(result));
      const fitted = await room.fit(limited, calls.length - position);
      yield* recorder.recordOutcome(fitted, callIndex(position));
      const { name, argumentsJson } = written;
      const { item, content } = fitted;
      const isError = item.type === 'toolCall' && item.isError;
      finished.push({ name, argumentsJson, content, isError });
    }
    if (calls.some(({ type }) => type === 'client' || type === 'approval')) return;
    if (tokensLeft(request, recorder) === 0) {
      recorder.overrideStopReason('maxPredictedTokensReached');
      return;
    }
    if (!mayCall || ((callable?.isEmpty ?? true) && round >= maxCorrections)) {
      recorder.overrideStopReason('eosFound');
      return;
    }
    // The round's text includes the earlier part of a continued answer.
    if (round === 0 && request.continuedResponseId !== undefined) dropOpenAnswer(messages);
    messages.push(...(await roundMessages(recorder.messageText, finished, promptContext)));
  }
}

function dropOpenAnswer(messages: EngineMessage[]): void {
  if (messages.at(-1)?.role === 'assistant') messages.pop();
}

/**
 * Makes the approved calls and puts their results into the messages.
 *
 * @returns the number of calls that were made.
 */
async function* answerCalls(
  run: TurnRun,
  messages: EngineMessage[],
  binary: BinaryBudget,
): AsyncGenerator<TurnEvent, number> {
  const { request, prompt, session, recorder, store, answeredCalls: calls } = run;
  const generation = toGeneration(run, messages, 0, run.maxToolRounds > 0);
  const promptTokens = await session.countPrompt(generation);
  const room = new ResultRoom(session, promptTokens, request.maxOutputTokens);
  const madeCount = yield* runApprovedCalls({
    calls,
    tools: run.tools ?? TurnTools.none(),
    recorder,
    context: session.lease.context,
    maxToolCalls: request.maxToolCalls,
    use: (made) => useApprovals(store, made, session.lease.context.caller.tokenId),
    fit: (outcome, count) =>
      room.fit(
        withResult(outcome, (result) => binary.limit(result)),
        count,
      ),
  });
  const { items } = recorder.result(undefined);
  const results = approvalResults({ approvals: calls, items });
  await putResults(messages, results, prompt.promptContext);
  return madeCount;
}

/** The prompt's messages, without the oldest turns if they do not fit. */
async function fittingMessages(run: TurnRun): Promise<readonly EngineMessage[]> {
  const { request, prompt, session, recorder, maxToolRounds } = run;
  const { contextLength } = session.lease.loaded.capabilities;
  const { messages, droppedTurns } = await dropTurns(
    prompt.prompt,
    contextLength,
    request.maxOutputTokens,
    async (candidate) => {
      try {
        return await session.countPrompt(toGeneration(run, candidate, 0, maxToolRounds > 0));
      } catch (error) {
        if (error instanceof HearthError && error.code === 'context_length_exceeded')
          return Infinity;
        throw error;
      }
    },
    request.target?.defaults?.examples?.length,
  );
  recorder.noteDroppedTurns(prompt.droppedTurns + droppedTurns);
  return messages;
}

function withResult(
  outcome: CallOutcome,
  change: (result: ToolCallItem['result']) => ToolCallItem['result'],
): CallOutcome {
  const { item } = outcome;
  if (item.type !== 'toolCall') return outcome;
  const result = change(item.result);
  return { item: { ...item, result }, content: result };
}

/** Marks calls beyond the limit as not executed. */
function withinLimit(
  calls: readonly CheckedCall[],
  round: number,
  callsLeft: number,
  { maxToolCalls }: TurnRequest,
): readonly CheckedCall[] {
  let left = callsLeft;
  return calls.map((call) => {
    if (call.type !== 'valid') return call;
    left -= 1;
    if (left >= 0) return call;
    return refuseCall(call, round, `The limit of ${maxToolCalls} tool calls is reached.`);
  });
}

/** The part of the context that is left for one round's tool results. */
class ResultRoom {
  readonly #session: Session;
  #tokens: number;

  /**
   * @param contextTokens Tokens of the prompt and answer so far.
   * @param tokensToGenerate Maximum tokens of later answers; if absent, the context is the limit.
   */
  constructor(session: Session, contextTokens: number, tokensToGenerate = Infinity) {
    const { contextLength } = session.lease.loaded.capabilities;
    const answerTokens = Math.min(tokensToGenerate, Math.ceil(contextLength / answerShare));
    this.#session = session;
    this.#tokens = contextLength - contextTokens - answerTokens;
  }

  /** Cuts a result to its share of the remaining context; `count` results remain, including this one. */
  async fit(outcome: CallOutcome, count: number): Promise<CallOutcome> {
    const { item } = outcome;
    if (item.type !== 'toolCall') return outcome;
    const share = Math.floor(this.#tokens / count) - markupTokens;
    const { content, tokens } = await fitToolResult(
      item.tool,
      item.result,
      Math.max(0, share),
      (text) => this.#session.countTokens(text),
    );
    this.#tokens -= tokens + markupTokens;
    return { item: { ...item, result: content }, content };
  }
}

/** Tokens that the turn may still generate; the limit applies to all its generations together. */
function tokensLeft(
  { maxOutputTokens = Infinity }: TurnRequest,
  { completionTokens }: TurnRecorder,
): number {
  return Math.max(0, maxOutputTokens - completionTokens);
}

function toGeneration(
  { request, tools, recorder }: TurnRun,
  messages: readonly EngineMessage[],
  round: number,
  mayCall: boolean,
): ChatGeneration {
  const definitions = tools?.definitions() ?? [];
  const named = tools?.nameChoice(request.toolChoice);
  const toolChoice = tools && toolChoiceOf(named, definitions.length > 0, round, mayCall);
  const generation = toChatGeneration(request, messages, definitions, toolChoice);
  if (request.maxOutputTokens === undefined) return generation;
  return { ...generation, maxTokens: tokensLeft(request, recorder) };
}

/** The part of a turn that the engine receives. */
export function toChatGeneration(
  request: TurnRequest,
  messages: readonly EngineMessage[],
  definitions: readonly ToolDefinition[],
  toolChoice: ToolChoice | undefined,
): ChatGeneration {
  const { sampling, stop, topLogprobs, reasoning, maxReasoningTokens } = request;
  const { responseFormat, callsInParallel, isStored } = request;
  return {
    kind: 'chat',
    messages: [...messages],
    sampling,
    ...omitUndefined({
      stop,
      topLogprobs,
      reasoning,
      maxReasoningTokens,
      responseFormat,
      callsInParallel,
      tools: definitions.length === 0 ? undefined : definitions,
      toolChoice,
      responseId: isStored ? request.responseId : undefined,
    }),
  };
}

function toolChoiceOf(
  toolChoice: ToolChoice | undefined,
  hasTools: boolean,
  round: number,
  mayCall: boolean,
): ChatGeneration['toolChoice'] {
  // Without tools, the engine would reject a choice that requires one.
  if (!hasTools) return toolChoice;
  if (!mayCall) return 'none';
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  return isForced && round > 0 ? 'auto' : (toolChoice ?? 'auto');
}

const maxCharacters = 32 * 1024 * 1024;

/** Limits the images, audio and files in one turn's tool results, which stay in memory until the turn ends. */
export class BinaryBudget {
  #left: number;

  /** @param characters Maximum characters of base64. */
  constructor(characters = maxCharacters) {
    this.#left = characters;
  }

  /** Replaces content beyond the budget with a note. */
  limit(content: readonly ToolContent[]): readonly ToolContent[] {
    return content.map((block) => {
      const length = binaryLength(block);
      if (length > this.#left) {
        return { type: 'text', text: `[${block.type}: left out, as the results are too large]` };
      }
      this.#left -= length;
      return block;
    });
  }
}

function binaryLength({ data, resource }: ToolContent): number {
  if (typeof data === 'string') return data.length;
  const hasBlob = typeof resource === 'object' && resource !== null && 'blob' in resource;
  return hasBlob && typeof resource.blob === 'string' ? resource.blob.length : 0;
}
