/** The thread of `json-parser.ts`: parses the bytes of each body that it receives, and ends after `null`. */
import { parentPort } from 'node:worker_threads';
import { HearthError } from '../../contract/errors.ts';
import { parseJsonBody } from './json-body.ts';
import { joinPieces, type JsonReply } from './json-parser.ts';

parentPort?.on('message', (pieces: readonly Uint8Array[] | null) => {
  if (pieces === null) {
    parentPort?.close();
    return;
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(reply(pieces));
});

function reply(pieces: readonly Uint8Array[]): JsonReply {
  try {
    return { value: parseJsonBody(joinPieces(pieces)) };
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    const { code, message } = error;
    return { code, message };
  }
}
