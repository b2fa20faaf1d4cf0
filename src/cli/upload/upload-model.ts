import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { uploadModelFile } from '../../api/v1/models/model-import-schema.ts';
import { formatBytes } from '../../kernel/format.ts';
import { findInFile } from '../../server/offline/models.ts';
import type { Client } from '../client/client.ts';
import { CommandError, UsageError } from '../failure.ts';
import { createProgress } from '../ui/progress.ts';
import type { TerminalStream } from '../ui/terminal.ts';

interface Upload {
  /** A GGUF file, or any part of a split model. */
  readonly file: string;
  /** `local` by default. */
  readonly publisher: string | undefined;
  /** From the file name by default. */
  readonly repo: string | undefined;
}

/**
 * Uploads a model with all its parts to a server.
 *
 * @returns its key
 * @throws UsageError for a folder, HearthError as `findInFile`, and the errors of `Client.call`.
 */
export async function uploadModel(
  client: Client,
  { file, publisher = 'local', repo }: Upload,
  messages: TerminalStream,
  signal: AbortSignal,
): Promise<string> {
  const path = resolve(file);
  if ((await stat(path)).isDirectory()) {
    throw new UsageError("A folder can't be uploaded. Upload each GGUF file with its own command.");
  }
  const source = await findInFile(path, repo, signal);
  const parts = await Promise.all(
    source.files.map(async (each) => ({ ...each, sizeBytes: (await stat(each.path)).size })),
  );
  const totalBytes = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const progress = createProgress(messages, 'Uploading');
  let sentBytes = 0;
  async function* read(part: string): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(part, { highWaterMark: 256 * 1024 })) {
      sentBytes += chunk.length;
      progress.update(sentBytes / totalBytes, formatBytes(totalBytes));
      yield chunk;
    }
  }
  let key: string | null = null;
  try {
    for (const { path: part, target, sizeBytes } of parts) {
      const content = Readable.from(read(part), { objectMode: false });
      const params = { publisher, repository: source.repo, file: target };
      const result = await client.call(
        uploadModelFile,
        { params, upload: { content, sizeBytes } },
        signal,
      );
      key = result.model ?? key;
    }
  } finally {
    progress.stop();
  }
  if (key === null)
    throw new CommandError('The files were uploaded, but other parts of the model are missing.');
  return key;
}
