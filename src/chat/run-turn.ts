import { setImmediate } from 'node:timers/promises';
import { linkAbort } from '../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import type { Session } from '../engines/session.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { withSignal, type RequestContext } from '../kernel/request/request-context.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { logGeneration } from './generation-stats.ts';
import { prepareTurn, type PreparedTurn, type TurnServices } from './prepare-turn.ts';
import { promptPrefix } from './prompt-messages.ts';
import { runRounds } from './run-rounds.ts';
import { listTools } from './tool-lists.ts';
import { TurnTools } from './turn-tools.ts';
import { nearestReasoning } from './reasoning.ts';
import { streamWithFallbacks, targetOf, type Targeted, toTargeted } from './request-target.ts';
import { draftTurn, newResponseId, storeTurn } from './store-turn.ts';
import type { TurnEvent } from './turn-event.ts';
import { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * Runs one turn: history, prompt, generations, tool calls and storage. Errors of the request are thrown before the
 * first event. A later failure becomes a `turn.error` event, followed by `turn.end`.
 *
 * @throws The errors of `prepareTurn` and `Engines.open`; the signal's reason when aborted.
 */
export async function* runTurn(
  services: TurnServices,
  turn: TurnRequest,
  context: RequestContext,
): AsyncGenerator<TurnEvent> {
  const { pool } = services;
  const first = await targetOf(pool, turn, context.caller);
  const whole = turn.isStored ? { responseId: newResponseId(), ...turn } : turn;
  let attempt = await prepareAttempt(services, toTargeted(whole, first), context);
  let responseId: string | undefined;
  let isStoreFailure = false;
  try {
    if (first.chain === undefined) yield* generateAnswer(services, attempt, context);
    else {
      yield* streamWithFallbacks(pool, first, context, async function* (target) {
        if (target !== first)
          attempt = await nextAttempt(services, attempt, whole, target, context);
        yield* generateAnswer(services, attempt, context);
      });
    }
    const { request, prepared, recorder } = attempt;
    if (request.isStored) {
      isStoreFailure = true;
      const prompt = await prepared.build(context.signal);
      responseId = await storeTurn(services.store, request, prompt, recorder, context);
    }
  } catch (error) {
    const { request, recorder } = attempt;
    if (!recorder.hasStarted || hasClientLeft(context.signal)) throw error;
    if (!(error instanceof HearthError) || error.status === 500) {
      context.logger.error({ err: error }, 'turn failed');
    }
    yield* recorder.interrupt();
    // A background turn is always stored, since the client learns of the failure only from the response.
    const isKept = recorder.hasItems || isCancelled(error) || request.isBackground === true;
    if (request.isStored && isKept && responseId === undefined && !isStoreFailure) {
      const cause = isCancelled(error) ? 'cancelled' : 'failed';
      responseId = await storeInterrupted(services, attempt, context, cause);
    }
    yield { type: 'turn.error', error: asHearthError(error) };
  } finally {
    attempt.prepared.release();
  }
  const result = attempt.recorder.result(responseId);
  logGeneration('chat', result, context);
  yield { type: 'turn.end', result };
}

/** Runs a turn with one model. */
interface Attempt {
  readonly request: Targeted<TurnRequest>;
  readonly prepared: PreparedTurn;
  readonly recorder: TurnRecorder;
}

async function prepareAttempt(
  services: TurnServices,
  request: Targeted<TurnRequest>,
  context: RequestContext,
): Promise<Attempt> {
  const prepared = await prepareTurn(services, request, context);
  const { target, continuedItems, toolChoices } = prepared;
  const recorder = new TurnRecorder(
    target.selection,
    request.responseId ?? newResponseId(),
    continuedItems,
    toolChoices,
  );
  return { request, prepared, recorder };
}

/** Prepares the turn for the next model, after the previous one failed without output. */
async function nextAttempt(
  services: TurnServices,
  { prepared, recorder }: Attempt,
  turn: TurnRequest,
  target: ModelTarget,
  context: RequestContext,
): Promise<Attempt> {
  // Frees the allowance, so that the images do not count twice.
  prepared.release();
  const reasoning = turn.reasoning && nearestReasoning(target.selection.model, turn.reasoning);
  const { reasoning: _, ...others } = turn;
  const request = toTargeted({ ...others, ...omitUndefined({ reasoning }) }, target);
  const attempt = await prepareAttempt(services, request, context);
  if (recorder.hasStarted) attempt.recorder.start(recorder.result(undefined).instanceId);
  return attempt;
}

/** Stores the output of a failed turn, so that the conversation can continue from it. */
async function storeInterrupted(
  { store }: TurnServices,
  { request, prepared, recorder }: Attempt,
  context: RequestContext,
  cause: 'cancelled' | 'failed',
): Promise<string | undefined> {
  try {
    const prompt = await prepared.build(context.signal);
    return await storeTurn(store, request, prompt, recorder, context, cause);
  } catch (err) {
    context.logger.warn({ err }, 'interrupted turn not stored');
    return undefined;
  }
}

/** Opens a session. Once it has a slot, opens the tools and generates. */
async function* generateAnswer(
  { pool, store, tools, settings }: TurnServices,
  { request, prepared, recorder }: Attempt,
  context: RequestContext,
): AsyncGenerator<TurnEvent> {
  const { integrations, clientTools, toolChoice, contextLength, ttlSeconds, isWhole } = request;
  const usesServers = integrations.length > 0;
  const ended = usesServers ? linkAbort(context.signal) : undefined;
  const ownContext = ended === undefined ? context : withSignal(context, ended.signal);
  let opening: Promise<Toolbox> | undefined;
  const openTools = (): Promise<Toolbox> => {
    opening ??= tools.open(integrations, ownContext);
    // If the tools fail, the turn stops waiting for its slot.
    opening.catch((error: unknown) => ended?.abort(error));
    return opening;
  };
  let session: Session | undefined;
  try {
    const promptPrefixText = promptPrefix({ kind: 'chat', messages: prepared.outline });
    session = pool.open(
      {
        target: prepared.target,
        promptPrefix: promptPrefixText,
        waitsForLoad: request.waitsForLoad,
        ...omitUndefined({ contextLength, ttlSeconds, isWhole }),
      },
      ownContext,
    );
    if (usesServers) {
      session.placed.then(openTools, () => {}).catch(() => {});
      // If a slot is free, a tool server's failure is thrown as an error of the request, before any event.
      await setImmediate();
    }
    if (opening !== undefined && !session.isLoading) await opening;
    yield recorder.start(session.lease.instance.id);
    yield* session.ready();
    recorder.noteInstance(session);
    const prompt = await prepared.build(ownContext.signal);
    await request.onDraft?.(draftTurn(request, prompt, recorder, ownContext));
    const toolbox = usesServers
      ? yield* listTools(request, prepared.turns, openTools(), recorder)
      : undefined;
    const hasTools = usesServers || (clientTools ?? []).length > 0 || toolChoice !== undefined;
    const turnTools = hasTools ? new TurnTools(toolbox, clientTools) : undefined;
    const { answeredCalls } = prepared;
    const round = { request, prompt, session, tools: turnTools, answeredCalls, store };
    const maxToolRounds = settings.live.current['chat.maxToolRounds'];
    yield* runRounds({ ...round, maxToolRounds, recorder });
  } finally {
    ended?.abort();
    session?.close();
    // Not awaited: a tool server that is slow to close must not delay the answer.
    opening?.then(
      (toolbox) => closeTools(toolbox, context),
      () => {},
    );
  }
}

async function closeTools(toolbox: Toolbox, { logger }: RequestContext): Promise<void> {
  try {
    await toolbox.close();
  } catch (err) {
    logger.warn({ err }, 'tools not closed');
  }
}

/**
 * True if the client has disconnected. If the reason is a HearthError, the server aborted the request and the client
 * still gets the error.
 */
function hasClientLeft(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof HearthError);
}

function isCancelled(error: unknown): boolean {
  return error instanceof HearthError && error.code === 'cancelled';
}

function asHearthError(error: unknown): HearthError {
  if (error instanceof HearthError) return error;
  return new HearthError(
    'internal',
    'An unexpected error occurred; the log of the server has the details.',
    {
      cause: error,
    },
  );
}
