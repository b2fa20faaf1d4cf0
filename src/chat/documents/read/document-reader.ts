import { subtle } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  runLimitedThread,
  ThreadMemoryError,
  type ThreadLimits,
} from '../../../kernel/concurrency/limited-thread.ts';
import { Semaphore } from '../../../kernel/concurrency/semaphore.ts';
import { TimeoutError } from '../../../kernel/concurrency/with-timeout.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { maxDocumentBytes, smallerRemedy, tooMuchMemory, type DocumentText } from './document.ts';

export interface DocumentRequest {
  /** File name. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Maximum memory of typed arrays in MB, beside the heap. */
  readonly memoryMb: number;
}

/** The text of a file, or the reason why it can't be read, worded to follow the name of the file. */
export type DocumentReply = { readonly document: DocumentText } | { readonly message: string };

/** Files that are read at the same time, each in a thread. */
const maxThreads = 2;
const maxWaiting = { ofAll: 16, ofCaller: 4 };
/** Characters of recently read texts to keep, since clients send a file again with each message of a conversation. */
const maxKeptCharacters = 16_000_000;
const defaultLimits: ThreadLimits = { timeoutMs: 30_000, memoryMb: 384 };

/** Reads the text of files in threads with limited memory and time, so that a hostile file affects only its own request. */
export class DocumentReader {
  readonly #script: string;
  readonly #limits: ThreadLimits;
  readonly #threads = new Semaphore(maxThreads);
  /** Number of waiting requests by caller. */
  readonly #waiting = new Map<string | null, number>();
  readonly #kept = new LRUCache<string, DocumentText>({
    maxSize: maxKeptCharacters,
    sizeCalculation: ({ text }) => Math.max(1, text.length),
  });

  /** @param script The bundled `document-thread.js`. */
  constructor(script: string, limits: Partial<ThreadLimits> = {}) {
    this.#script = script;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /**
   * Collects the bytes of a file and reads its text. A caller who sends the same file again gets the text at once.
   *
   * @throws HearthError `invalid_document`; `queue_full`; the signal's reason.
   */
  async read(
    name: string,
    content: AsyncIterable<Uint8Array>,
    { ownerId, signal }: { readonly ownerId: string | null; readonly signal: AbortSignal },
  ): Promise<DocumentText> {
    const own = this.#waiting.get(ownerId) ?? 0;
    const all = [...this.#waiting.values()].reduce((sum, count) => sum + count, 0);
    if (own >= maxWaiting.ofCaller || all >= maxWaiting.ofAll)
      throw new HearthError('queue_full', 'Too many files are being read. Try again soon.', {
        retryAfterSeconds: 1,
      });
    this.#waiting.set(ownerId, own + 1);
    try {
      const bytes = await collect(name, content);
      const digest = await subtle.digest('SHA-256', bytes);
      const key = JSON.stringify([ownerId, name, Buffer.from(digest).toString('base64')]);
      const kept = this.#kept.get(key);
      if (kept !== undefined) return kept;
      const { memoryMb } = this.#limits;
      const document = await this.#threads.run(
        () => this.#readInThread({ name, bytes, memoryMb }, signal),
        signal,
      );
      this.#kept.set(key, document);
      return document;
    } finally {
      const left = (this.#waiting.get(ownerId) ?? 1) - 1;
      if (left > 0) this.#waiting.set(ownerId, left);
      else this.#waiting.delete(ownerId);
    }
  }

  async #readInThread(request: DocumentRequest, signal: AbortSignal): Promise<DocumentText> {
    const { name } = request;
    const { timeoutMs, memoryMb } = this.#limits;
    try {
      const reply = await runLimitedThread<DocumentReply>(
        this.#script,
        request,
        this.#limits,
        signal,
      );
      if ('document' in reply) return reply.document;
      throw invalidDocument(name, reply.message);
    } catch (error) {
      if (error instanceof TimeoutError)
        throw invalidDocument(
          name,
          `takes more than ${timeoutMs / 1000} s to read. ${smallerRemedy}`,
        );
      if (!(error instanceof ThreadMemoryError)) throw error;
      throw invalidDocument(name, tooMuchMemory(memoryMb));
    }
  }
}

async function collect(
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of content) {
    sizeBytes += piece.byteLength;
    if (sizeBytes > maxDocumentBytes)
      throw invalidDocument(
        name,
        `is larger than ${maxDocumentBytes / 1_000_000} MB. ${smallerRemedy}`,
      );
    pieces.push(piece);
  }
  const bytes = new Uint8Array(sizeBytes);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.byteLength;
  }
  return bytes;
}

function invalidDocument(name: string, message: string): HearthError {
  return new HearthError('invalid_document', `${name} ${message}`);
}
