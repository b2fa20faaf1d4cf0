import { omitUndefined } from '../omit-undefined.ts';
import type { EngineMessage, GenerationRequest } from '../engine/engine.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { acquireLease, generateOn, type GenerationStep } from './generation.ts';
import type { PreparedTurn, TurnServices } from './prepare-turn.ts';
import { promptKey } from './prompt-key.ts';
import { roundMessages, type FinishedCall } from './tool-messages.ts';
import { runToolRound } from './tool-round.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * Lets the model generate and call tools, again and again, until it answers. After `maxToolRounds` rounds
 * of calls it must answer without. Its instance stays all the while.
 *
 * @throws HearthError those of `generate`; the signal's reason when aborted.
 */
export async function* runRounds(
  { pool, maxToolRounds, maxImagePixels }: TurnServices,
  request: TurnRequest,
  prepared: PreparedTurn,
  toolbox: Toolbox,
  recorder: TurnRecorder,
  context: RequestContext,
): AsyncGenerator<TurnEvent> {
  const { target } = prepared;
  const messages = [...prepared.messages];
  const first = toGeneration(
    request,
    messages,
    toolbox,
    maxToolRounds > 0,
    request.maxOutputTokens,
  );
  const { contextLength, waitsForLoad } = request;
  const acquiring = acquireLease(
    pool,
    {
      target,
      promptPrefix: promptKey(first),
      waitsForLoad,
      ...omitUndefined({ contextLength }),
    },
    context,
  );
  const acquired = yield* recordSteps(recorder, acquiring);
  const { lease } = acquired;
  try {
    yield* recordSteps(recorder, generateOn(lease, first, acquired));
    for (let round = 0; ; round += 1) {
      const { text, calls } = recorder.takeRound();
      if (calls.length === 0) return;
      const finished: FinishedCall[] = [];
      const outcomes = runToolRound(
        calls.map(({ validated }) => validated),
        lease.context.signal,
      );
      for await (const outcome of outcomes) {
        const written = calls[finished.length];
        if (written === undefined) break;
        const { name, argumentsJson } = written;
        yield recorder.recordOutcome(outcome, name);
        finished.push({ name, argumentsJson, content: outcome.content });
      }
      if (round === maxToolRounds || tokensLeft(request, recorder) === 0) return;
      const reader = {
        model: target.selection.model,
        maxImagePixels,
        signal: lease.context.signal,
      };
      messages.push(...(await roundMessages(text, finished, reader, prepared.callNumbers)));
      const mayCall = round + 1 < maxToolRounds;
      const maxTokens = tokensLeft(request, recorder);
      const next = toGeneration(request, messages, toolbox, mayCall, maxTokens);
      yield* recordSteps(recorder, generateOn(lease, next));
    }
  } finally {
    lease.release();
  }
}

/** Yields the events of the steps and returns what their iteration returns. */
async function* recordSteps<Result>(
  recorder: TurnRecorder,
  steps: AsyncGenerator<GenerationStep, Result>,
): AsyncGenerator<TurnEvent, Result> {
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return step.value;
      yield* recorder.record(step.value);
    }
  } finally {
    await steps.return(undefined as Result);
  }
}

/** `max_output_tokens` holds for the turn, not for each of its rounds. */
function tokensLeft(
  { maxOutputTokens }: TurnRequest,
  { outputTokens }: TurnRecorder,
): number | undefined {
  return maxOutputTokens === undefined ? undefined : Math.max(0, maxOutputTokens - outputTokens);
}

function toGeneration(
  { sampling, reasoning }: TurnRequest,
  messages: readonly EngineMessage[],
  toolbox: Toolbox,
  mayCall: boolean,
  maxTokens: number | undefined,
): GenerationRequest {
  const tools = toolbox.tools().map(({ exposedName, description, parameters }) => ({
    name: exposedName,
    parameters,
    ...omitUndefined({ description }),
  }));
  return {
    kind: 'chat',
    messages: [...messages],
    sampling,
    ...(tools.length === 0 ? {} : { tools, toolChoice: mayCall ? 'auto' : 'none' }),
    ...omitUndefined({ maxTokens, reasoning }),
  };
}
