import { setImmediate as nextLoop } from 'node:timers/promises';
import type { BatchError, BatchLine, StoredBatch } from '../../store/batches/batch.ts';
import type { Store } from '../../store/store.ts';
import { parseRequest, type ParseJson } from './parse-request.ts';
import { LongLineError, readLines } from './read-lines.ts';

export interface BatchLimits {
  /** Maximum number of requests in a batch. */
  readonly maxRequests: number;
  /** Maximum bytes of a request. */
  readonly maxLineBytes: number;
}

/** Maximum number of reported errors; validation stops there. */
const maxErrors = 100;
/** Number of requests that are stored together. */
const linesPerStep = 200;

/**
 * Reads the requests of a batch and stores their positions.
 *
 * @returns the reasons why the file is refused; empty if it is valid.
 * @throws the signal's reason when aborted.
 */
export async function validateBatch(
  { files, batches }: Pick<Store, 'files' | 'batches'>,
  { id, inputFileId, endpoint }: StoredBatch,
  { maxRequests, maxLineBytes }: BatchLimits,
  parseJson: ParseJson,
  signal: AbortSignal,
): Promise<{ readonly errors: readonly BatchError[]; readonly count: number }> {
  // After a crash, the validation starts over.
  await batches.clearLines(id);
  const errors: BatchError[] = [];
  const lineOfId = new Map<string, number>();
  let stored: BatchLine[] = [];
  const refuse = (code: string, message: string, line: number | null, param: string | null) =>
    void errors.push({ code, message, line, param });
  try {
    for await (const { line, start, bytes } of readLines(files.read(inputFileId), maxLineBytes)) {
      signal.throwIfAborted();
      if (isBlank(bytes)) continue;
      if (lineOfId.size >= maxRequests) {
        refuse('too_many_requests', `The file has more than ${maxRequests} requests.`, line, null);
        break;
      }
      const length = bytes.byteLength;
      const request = await parseRequest([bytes], line, endpoint, parseJson);
      if ('code' in request) {
        errors.push(request);
        if (errors.length >= maxErrors) break;
        continue;
      }
      const { customId } = request;
      const earlier = lineOfId.get(customId);
      if (earlier !== undefined) {
        const shown = JSON.stringify(customId.slice(0, 100));
        const message = `\`custom_id\` ${shown} is also on line ${earlier}.`;
        refuse('duplicate_custom_id', message, line, 'custom_id');
        if (errors.length >= maxErrors) break;
        continue;
      }
      lineOfId.set(customId, line);
      stored.push({ line, customId, start, length });
      if (stored.length < linesPerStep) continue;
      if (errors.length === 0) await batches.addLines(id, stored);
      stored = [];
      await nextLoop();
    }
  } catch (error) {
    if (!(error instanceof LongLineError)) throw error;
    const message = `The line has more than ${maxLineBytes} bytes (\`limits.bodyBytes\`).`;
    refuse('line_too_long', message, error.line, null);
  }
  if (errors.length === 0 && lineOfId.size === 0) {
    refuse('empty_file', 'The file has no requests.', null, null);
  }
  if (errors.length > 0) await batches.clearLines(id);
  else await batches.addLines(id, stored);
  return { errors, count: lineOfId.size };
}

/** Lines with blanks only are skipped, unless they are long: these are refused as invalid JSON. */
function isBlank(line: Buffer): boolean {
  return line.byteLength <= 1024 && line.toString('latin1').trim() === '';
}
