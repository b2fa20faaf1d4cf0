import type { HearthError } from '../../../contract/errors.ts';
import { purposeOf } from '../../../engines/loads/purpose.ts';
import type { NamedModel } from '../../../models/ollama/find-model.ts';
import type { RequestContext } from '../../../request/request-context.ts';
import { lineStream } from '../../ndjson.ts';
import { readAhead } from '../../openai/choices.ts';
import type { SurfaceServices } from '../services.ts';
import { toStreamError } from '../../openai/stream-error.ts';
import type { AnswerEvent } from './answer-events.ts';
import { emptyAnswer, toAnswer, toLines, type ToFields } from './answer-lines.ts';
import { ollamaErrors } from './errors.ts';

interface AnswerRequest<Fields> {
  /** As the request names it. */
  readonly model: string;
  readonly isStreamed: boolean;
  /** `performance.now()` at the beginning of the request. */
  readonly startedAt: number;
  readonly toFields: ToFields<Fields>;
}

/** Sends an answer: as lines, or whole. An error before the first output is an ordinary error response. */
export async function answer<Fields extends object>(
  events: AsyncGenerator<AnswerEvent>,
  { model, isStreamed, startedAt, toFields }: AnswerRequest<Fields>,
  context: RequestContext,
) {
  const head = { model, startedAt };
  if (!isStreamed) return toAnswer(events, head, toFields);
  const ready = await readAhead(events, () => true);
  return lineStream(withErrorLine(toLines(ready, head, toFields), context), context);
}

/** Ends the lines of a source that fails with the error as a line. */
export async function* withErrorLine(
  lines: AsyncIterable<object>,
  context: RequestContext,
): AsyncGenerator<object> {
  try {
    yield* lines;
  } catch (error) {
    yield toErrorLine(toStreamError(error, context));
  }
}

function toErrorLine(error: HearthError): object {
  return ollamaErrors.serialize(error).body;
}

/** Loads the model of a request, and sets its idle time. */
export async function loadModel(
  { pool }: Pick<SurfaceServices, 'pool'>,
  { identifier, selection }: NamedModel,
  options: { readonly contextLength?: number; readonly ttlSeconds?: number },
  context: RequestContext,
): Promise<void> {
  const target = await pool.resolve(identifier, purposeOf(selection));
  await pool.ensureLoaded({ target, ...options }, context);
}

/**
 * Loads a model, or with `keep_alive: 0` unloads its idle instances, for a request without a prompt. As with any idle time,
 * those that were loaded by name or are pinned stay, unless the caller may unload them.
 */
export async function prepareModel<Fields extends object>(
  services: Pick<SurfaceServices, 'pool'>,
  found: NamedModel,
  options: { readonly contextLength?: number; readonly ttlSeconds?: number },
  { model, isStreamed, toFields }: AnswerRequest<Fields>,
  context: RequestContext,
) {
  const isUnload = options.ttlSeconds === 0;
  if (isUnload) {
    const { key } = found.selection.model;
    const mayUnload = context.caller.hasPermission('models:write');
    const idle = services.pool
      .list()
      .filter(({ selection, requestCount }) => selection.model.key === key && requestCount === 0)
      .filter(({ isExplicit, isPinned }) => mayUnload || (!isExplicit && !isPinned));
    await Promise.all(idle.map(({ id }) => services.pool.unload(id)));
  } else {
    await loadModel(services, found, options, context);
  }
  const line = emptyAnswer(model, isUnload ? 'unload' : 'load', toFields);
  return isStreamed ? lineStream(only(line), context) : line;
}

async function* only(line: object): AsyncGenerator<object> {
  yield line;
}
