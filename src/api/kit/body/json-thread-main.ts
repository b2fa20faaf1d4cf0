/** The thread of `JsonParser`. Parses each body that it receives, and ends after `null`. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel, parentPort } from 'node:worker_threads';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { parseJsonBody, joinPieces, type JsonReply } from './json-body.ts';

/** After bodies longer than this, memory is garbage-collected at once. */
const maxKeptBytes = 16 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

parentPort?.on('message', (pieces: readonly Uint8Array[] | null) => {
  if (pieces === null) {
    parentPort?.close();
    return;
  }
  const isLong = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) > maxKeptBytes;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(reply(pieces, isLong));
  if (isLong) setImmediate(collectGarbage);
});

function reply(pieces: readonly Uint8Array[], isLong: boolean): JsonReply {
  const bytes = joinPieces(pieces);
  for (const piece of pieces) if (piece !== bytes) free(piece);
  try {
    return { value: parseJsonBody(bytes, () => free(bytes)) };
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    const { code, message } = error;
    return { code, message };
  } finally {
    if (isLong) collectGarbage();
  }
}

/**
 * Frees the memory of bytes at once. Otherwise the body, its text and the copies of its value would be in memory
 * together.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  const { port1 } = new MessageChannel();
  port1.postMessage(null, [buffer]);
  port1.close();
}
