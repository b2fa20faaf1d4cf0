import type { ChatGeneration, EngineMessage } from '../engine/engine.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { AcquiredInstance } from './acquire-instance.ts';
import { generate } from './generation.ts';
import type { PreparedTurn } from './prepare-turn.ts';
import { roundMessages, type FinishedCall, type PromptContext } from './prompt-messages.ts';
import { runToolRound } from './tool-round.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';
import type { TurnTools } from './turn-tools.ts';

interface TurnRun {
  readonly request: TurnRequest;
  readonly prepared: PreparedTurn;
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
  const { request, prepared, instance, tools, maxToolRounds, recorder } = run;
  const { lease } = instance;
  const { signal } = lease.context;
  const promptContext: PromptContext = {
    ...prepared.promptContext,
    toolOutput: { ...prepared.promptContext.toolOutput, signal },
  };
  const messages = [...prepared.prompt];
  let { startedAt } = instance;
  for (let round = 0; ; round += 1) {
    const mayCall = round < maxToolRounds;
    const generation = toGeneration(run, messages, round, mayCall);
    const recording = recorder.beginRound(tools);
    const steps = lease.streamWithSlot((engine, context) =>
      generate(engine, generation, context, startedAt),
    );
    for await (const step of steps) yield* recorder.record(recording, step);
    const { calls } = recording;
    if (calls.length === 0) return;

    const finished: FinishedCall[] = [];
    for await (const outcome of runToolRound(calls, round, lease.context)) {
      const position = finished.length;
      const written = calls[position]?.written;
      if (written === undefined) break;
      yield* recorder.recordOutcome(outcome, recording.callIndex(position));
      const { name, argumentsJson } = written;
      finished.push({ name, argumentsJson, content: outcome.content });
    }
    if (calls.some(({ type }) => type === 'client')) return;
    if (tokensLeft(request, recorder) === 0) {
      recorder.overrideStopReason('maxPredictedTokensReached');
      return;
    }
    if (!mayCall) {
      recorder.overrideStopReason('eosFound');
      return;
    }
    messages.push(...(await roundMessages(recording.messageText, finished, promptContext)));
    startedAt = performance.now();
  }
}

/** The limit applies to the turn, not to each of its generations. */
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
  const { sampling, stop, topLogprobs, reasoning, responseFormat } = request;
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
