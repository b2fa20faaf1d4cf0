import { setTimeout } from 'node:timers/promises';
import { HearthError, errorTable, type ErrorCode } from '../../kernel/errors/errors.ts';
import { pullOllama } from './models-schema.ts';
import type {
  DownloadJob,
  DownloadManager,
  DownloadRequest,
  DownloadStart,
} from '../../library/downloads/downloads.ts';
import type { Catalog } from '../../library/hub/catalog.ts';
import { parseOllamaReference } from '../../library/hub/ollama-reference.ts';
import { findOllamaModel, findOrNull } from '../../library/ollama/find-model.ts';
import { nearest } from '../../kernel/nearest.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { mount, type App } from '../kit/mount.ts';
import type { ApiServices } from '../services.ts';
import { requiredName } from './models.ts';
import { answerProgress, progress, type ProgressEvent } from './progress.ts';

const pollMs = 200;

export function mountPull(app: App, services: ApiServices): void {
  mount(app, pullOllama, async ({ body, context }) =>
    answerProgress(pull(services, requiredName(body), context), body.stream !== false, context),
  );
}

/** @throws HearthError `model_not_found`, with the nearest name; the errors of `DownloadManager.start`. */
export async function* pull(
  { libraryFor, downloads, catalog }: Pick<ApiServices, 'libraryFor' | 'downloads' | 'catalog'>,
  name: string,
  context: RequestContext,
): AsyncGenerator<ProgressEvent> {
  const library = libraryFor(context.caller);
  const { hub, registry } = parseOllamaReference(name, catalog);
  const start = async (request: DownloadRequest | undefined): Promise<DownloadStart | null> =>
    request === undefined
      ? null
      : findOrNull(() => downloads.start(request, context.signal, context.caller.modelScope));
  let found = await start(hub);
  if (found === null) {
    // The registry is not asked for a model that only the library has, such as a starter model.
    if (await findOrNull(() => findOllamaModel(library, name))) {
      yield progress({ status: 'success' });
      return;
    }
    found = await start(registry);
  }
  if (found === null) throw unknownModel(name, catalog);
  yield progress({ status: 'pulling manifest' });
  if (found.kind === 'job') yield* follow(downloads, found.job, context);
  yield progress({ status: 'success' });
}

async function* follow(
  downloads: Pick<DownloadManager, 'find'>,
  started: DownloadJob,
  { signal }: RequestContext,
): AsyncGenerator<ProgressEvent> {
  const digest = digestOf(started);
  const status = `pulling ${digest.slice('sha256:'.length, 19)}`;
  for (let job = started; ; job = await downloads.find(started.id)) {
    const { totalBytes: total, downloadedBytes: completed } = job;
    yield progress({ status, digest, total, completed });
    if (job.status === 'completed') break;
    if (job.status !== 'downloading') throw stopped(job);
    await setTimeout(pollMs, undefined, { signal });
  }
  yield progress({ status: 'verifying sha256 digest' });
  yield progress({ status: 'writing manifest' });
}

/** The hash of the largest file; clients show one bar for each digest. */
function digestOf({ plan }: DownloadJob): string {
  const [largest] = plan.files.toSorted((one, other) => other.sizeBytes - one.sizeBytes);
  return `sha256:${largest?.checksum.hex ?? ''}`;
}

function stopped({ id, status, failure }: DownloadJob): HearthError {
  if (failure !== null && isErrorCode(failure.code)) {
    return new HearthError(failure.code, failure.message);
  }
  return new HearthError('conflict', `The download ${id} is ${status}; another client stopped it.`);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

function unknownModel(name: string, catalog: Catalog): HearthError {
  const ids = catalog.list().map(({ id }) => id);
  const similar = nearest(
    name
      .toLowerCase()
      .replace(':', '-')
      .replace(/-latest$/, ''),
    ids,
  );
  const suggestion = similar === undefined ? '' : ` The nearest is ${JSON.stringify(similar)}.`;
  return new HearthError(
    'model_not_found',
    `model ${JSON.stringify(name.slice(0, 200))} not found in the catalog, on the hub ("hf.co/owner/name") or in the registry of Ollama.${suggestion}`,
    { field: 'model' },
  );
}
