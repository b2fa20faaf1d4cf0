import type { CompletionEvent } from '../../chat/run-completion.ts';
import type { TurnEvent } from '../../chat/turn-event.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import { purposeOf } from '../../engines/loads/purpose.ts';
import type { NamedModel } from '../../library/ollama/find-model.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { servingInstances } from '../kit/named-models.ts';
import { lineStream } from '../kit/stream/ndjson.ts';
import { collect } from '../kit/stream/collect.ts';
import { openStream, type StreamItem } from '../kit/stream/open-stream.ts';
import type { ApiServices } from '../services.ts';
import { createAnswerEvents } from './answer-events.ts';
import { createLines, emptyAnswer, emptyLine, toAnswer, type ToFields } from './answer-lines.ts';
import { ollamaErrors } from './errors.ts';

interface AnswerRequest<Fields> {
  /** Name of the model in the request. */
  readonly model: string;
  readonly isStreamed: boolean;
  /** `performance.now()` at the beginning of the request. */
  readonly startedAt: number;
  readonly toFields: ToFields<Fields>;
}

/** Sends an answer, streamed as lines or as a whole. */
export async function answer<Fields extends object>(
  events: AsyncGenerator<TurnEvent | CompletionEvent>,
  request: AnswerRequest<Fields>,
  context: RequestContext,
) {
  const { toFields } = request;
  if (!request.isStreamed) return toAnswer((await collect(events)).results[0], request, toFields);
  const toAnswerEvent = createAnswerEvents();
  const toLine = createLines(request, toFields);
  const write = (event: TurnEvent | CompletionEvent): readonly object[] => {
    const part = toAnswerEvent(event);
    return part === undefined ? [] : [toLine(part)];
  };
  return stream(events, write, request, context);
}

async function stream<Fields extends object, Item extends StreamItem>(
  items: AsyncGenerator<Item>,
  write: (item: Item) => readonly object[],
  { model, toFields }: AnswerRequest<Fields>,
  context: RequestContext,
): Promise<Response> {
  const lines = await openStream(items, { write, fail: toErrorLines }, context);
  return lineStream(lines, { ...context, heartbeat: () => emptyLine(model, toFields) });
}

/** The last line of a stream that fails. */
export function toErrorLines(error: HearthError): readonly object[] {
  return [ollamaErrors.serialize(error).body];
}

/** Loads the model of a request, and sets the idle time of the instance. */
export async function loadModel(
  { pool }: Pick<ApiServices, 'pool'>,
  { identifier, selection }: NamedModel,
  options: { readonly contextLength?: number; readonly ttlSeconds?: number },
  context: RequestContext,
): Promise<void> {
  const target = await pool.resolve(identifier, purposeOf(selection), context.caller);
  await pool.ensureLoaded({ target, ...options }, context);
}

/**
 * Handles a request without a prompt: loads a model, or with `keep_alive: 0` unloads its idle instances. Instances that
 * were loaded by name or are pinned stay loaded, unless the caller has the permission to unload them.
 */
export async function prepareModel<Fields extends object>(
  services: Pick<ApiServices, 'modelSettings' | 'pool'>,
  found: NamedModel,
  options: { readonly contextLength?: number; readonly ttlSeconds?: number },
  request: AnswerRequest<Fields>,
  context: RequestContext,
) {
  const { model, isStreamed, toFields } = request;
  const prepare = async () => {
    const isUnload = options.ttlSeconds === 0;
    if (isUnload) await unloadIdle(services, found, context);
    else await loadModel(services, found, options, context);
    return emptyAnswer(model, isUnload ? 'unload' : 'load', toFields);
  };
  if (!isStreamed) return prepare();
  return stream(preparation(prepare), ({ line }) => line ?? [], request, context);
}

async function unloadIdle(
  services: Pick<ApiServices, 'modelSettings' | 'pool'>,
  { selection }: NamedModel,
  { caller }: RequestContext,
): Promise<void> {
  const mayUnload = caller.hasPermission('models:write');
  const idle = servingInstances(services, services.pool.list(), selection)
    .filter(({ requestCount }) => requestCount === 0)
    .filter(({ isExplicit, isPinned }) => mayUnload || (!isExplicit && !isPinned));
  await Promise.all(idle.map(({ id }) => services.pool.unload(id)));
}

interface PreparationEvent {
  readonly type: 'preparation.start' | 'preparation.end';
  readonly line?: readonly [object];
}

async function* preparation(prepare: () => Promise<object>): AsyncGenerator<PreparationEvent> {
  yield { type: 'preparation.start' };
  yield { type: 'preparation.end', line: [await prepare()] };
}
