import type { Transferable } from 'node:worker_threads';
import { WorkerThread } from '../../../kernel/concurrency/worker-thread.ts';
import { HearthError, type ErrorCode } from '../../../kernel/errors/errors.ts';
import { parseJsonBody, type ParseJson } from './json-body.ts';

/** A refused body has the error's code and message. */
export type JsonReply =
  | { readonly value: unknown }
  | { readonly code: ErrorCode; readonly message: string };

/** A body of escapes, blanks or other characters than ASCII takes up to 30 ms for each MiB. */
const maxBytesInEventLoop = 1024 * 1024;

/** Parses long bodies in a thread, which returns their values several times as fast as they are parsed. */
export class JsonParser {
  readonly #thread: WorkerThread<readonly Uint8Array[], JsonReply>;

  /** @param script The bundled `json-thread-main.js`. */
  constructor(script: string) {
    this.#thread = new WorkerThread(script);
  }

  readonly parse: ParseJson = async (pieces) => {
    const sizeBytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (sizeBytes <= maxBytesInEventLoop) return parseJsonBody(joinPieces(pieces));
    const reply = await this.#thread.ask(pieces, pieces.flatMap(ownMemory));
    if ('value' in reply) return reply.value;
    throw new HearthError(reply.code, reply.message);
  };

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** The bytes of a body that arrived in pieces. */
export function joinPieces(pieces: readonly Uint8Array[]): Buffer {
  const [first] = pieces;
  return first instanceof Buffer && pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** Short pieces share their memory with others, so they are copied. */
function ownMemory({ buffer, byteLength }: Uint8Array): readonly Transferable[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
