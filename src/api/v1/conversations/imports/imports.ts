import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createChannel } from '../../../../kernel/concurrency/channel.ts';
import { Mutex } from '../../../../kernel/concurrency/semaphore.ts';
import { HearthError } from '../../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../../../kernel/request/request-context.ts';
import type { UploadBody } from '../../../kit/body/upload-body.ts';
import { mount, type App } from '../../../kit/mount.ts';
import { eventStream } from '../../../kit/stream/sse.ts';
import { toStreamError } from '../../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../../services.ts';
import { v1Errors } from '../../errors.ts';
import { findProject } from '../../projects/projects.ts';
import { importFile, type ImportReport } from './import-file.ts';
import {
  importConversations,
  type ImportEvent,
  type ImportReportRecord,
} from '../conversation-import-schema.ts';

const maxFileBytes = 2 * 1024 ** 3;

export function mountConversationImports(
  app: App,
  { store, maxImagePixels, audio }: ApiServices,
): void {
  // One import at a time, since each may need the memory and time of a large chat.
  const turns = new Mutex();

  mount(app, importConversations, async ({ query, upload, context }) => {
    const { dry_run: dryRun, stream, project_id: projectId } = query;
    if (projectId !== undefined) await findProject(store, projectId, context);
    const { signal, caller } = context;
    const isDryRun = dryRun === 'true';
    const folder = await mkdtemp(join(tmpdir(), 'hearth-import-'));
    const path = join(folder, 'export');
    const run = async (onProgress?: (fraction: number) => void): Promise<ImportReportRecord> => {
      try {
        const { tokenId: ownerId, clientKey } = caller;
        const options = { ownerId, clientKey, isDryRun, projectId, maxImagePixels, audio };
        const report = await turns.run(
          () => importFile(store, path, { ...options, signal, onProgress }),
          signal,
        );
        return toRecord(report, isDryRun);
      } catch (error) {
        throw toFailure(error, signal);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    };
    try {
      await receive(upload, path, signal);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return stream === 'true' ? streamed(run, context) : run();
  });
}

function streamed(
  run: (onProgress: (fraction: number) => void) => Promise<ImportReportRecord>,
  context: RequestContext,
): Response {
  const events = createChannel<ImportEvent>();
  let shown = 0;
  const onProgress = (progress: number): void => {
    if (progress - shown < 0.01) return;
    shown = progress;
    events.push({ type: 'import.progress', progress });
  };
  void run(onProgress)
    .then((result): ImportEvent => ({ type: 'import.end', result }))
    .catch((error: unknown): ImportEvent => {
      if (context.signal.aborted) return { type: 'import.progress', progress: shown };
      const { body } = v1Errors.serialize(toStreamError(error, context));
      return { type: 'error', ...body };
    })
    .then((event) => events.push(event))
    .finally(() => events.close());
  async function* messages() {
    for await (const event of events) yield { event: event.type, data: JSON.stringify(event) };
  }
  return eventStream(messages(), context);
}

async function receive(
  { body, declaredBytes = 0 }: UploadBody,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  let sizeBytes = 0;
  async function* limited() {
    for await (const chunk of body) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxFileBytes) throw tooLarge();
      yield chunk;
    }
  }
  if (declaredBytes > maxFileBytes) throw tooLarge();
  await pipeline(limited(), createWriteStream(path, { mode: 0o600 }), { signal });
  if (sizeBytes === 0) throw new HearthError('invalid_value', 'The file is empty.');
}

function tooLarge(): HearthError {
  return new HearthError('body_too_large', `The file has more than ${maxFileBytes} bytes.`);
}

function toFailure(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof HearthError || signal.aborted) return error;
  return new HearthError(
    'storage_failed',
    'The conversations could not be stored; those before them are. See the log of the server.',
    { cause: error },
  );
}

function toRecord(report: ImportReport, isDryRun: boolean): ImportReportRecord {
  return {
    format: report.format,
    dry_run: isDryRun,
    conversation_count: report.conversationCount,
    response_count: report.responseCount,
    present_count: report.presentCount,
    skipped_count: report.skippedCount,
    skipped: [...report.skipped],
    left_out: { ...report.leftOut },
    conversations: report.conversations.map(({ id, title }) => ({
      ...omitUndefined({ conversation_id: id }),
      title,
    })),
  };
}
