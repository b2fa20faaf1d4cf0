import { omitUndefined } from '../omit-undefined.ts';
import type { EngineMessage } from '../engine/engine.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { generateAt, type GenerationCall } from './generation.ts';
import type { PreparedTurn, TurnServices } from './prepare-turn.ts';
import { Seat } from './seat.ts';
import { toolContext } from './tool-context.ts';
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
  services: TurnServices,
  request: TurnRequest,
  prepared: PreparedTurn,
  toolbox: Toolbox,
  recorder: TurnRecorder,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent> {
  const seat = new Seat(services.pool, signal);
  try {
    yield* takeRounds(services, request, prepared, toolbox, recorder, seat);
  } finally {
    seat.leave();
  }
}

async function* takeRounds(
  services: TurnServices,
  request: TurnRequest,
  prepared: PreparedTurn,
  toolbox: Toolbox,
  recorder: TurnRecorder,
  seat: Seat,
): AsyncGenerator<TurnEvent> {
  const { maxToolRounds, maxImagePixels } = services;
  const { model } = prepared.selection;
  const messages = [...prepared.messages];
  for (let round = 0; ; round += 1) {
    const maxTokens = tokensLeft(request, recorder);
    const mayCall = round < maxToolRounds;
    const call = toCall(request, messages, toolbox, mayCall, maxTokens);
    for await (const step of generateAt(seat, call)) {
      yield* recorder.record(step);
    }
    const { text, calls } = recorder.takeRound();
    if (calls.length === 0) return;
    const finished: FinishedCall[] = [];
    const outcomes = runToolRound(
      calls.map(({ validated }) => validated),
      toolContext(services, request, seat.signal),
    );
    for await (const outcome of outcomes) {
      const written = calls[finished.length];
      if (written === undefined) break;
      const { name, argumentsJson } = written;
      yield recorder.recordOutcome(outcome, name);
      finished.push({ name, argumentsJson, content: outcome.content });
    }
    if (!mayCall || tokensLeft(request, recorder) === 0) return;
    const reader = { model, maxImagePixels, signal: seat.signal };
    messages.push(...(await roundMessages(text, finished, reader, prepared.callNumbers)));
  }
}

/** `max_output_tokens` holds for the turn, not for each of its rounds. */
function tokensLeft(
  { maxOutputTokens }: TurnRequest,
  { outputTokens }: TurnRecorder,
): number | undefined {
  return maxOutputTokens === undefined ? undefined : Math.max(0, maxOutputTokens - outputTokens);
}

function toCall(
  request: TurnRequest,
  messages: readonly EngineMessage[],
  toolbox: Toolbox,
  mayCall: boolean,
  maxTokens: number | undefined,
): GenerationCall {
  const { model, contextLength, sampling, reasoning, caller, waitsForLoad } = request;
  const tools = toolbox.tools().map(({ exposedName, description, parameters }) => ({
    name: exposedName,
    parameters,
    ...omitUndefined({ description }),
  }));
  return {
    identifier: model,
    caller,
    waitsForLoad,
    ...omitUndefined({ contextLength }),
    request: {
      kind: 'chat',
      messages: [...messages],
      sampling,
      ...(tools.length === 0 ? {} : { tools, toolChoice: mayCall ? 'auto' : 'none' }),
      ...omitUndefined({ maxTokens, reasoning }),
    },
  };
}
