import type { GenerationEvent, GenerationRequest } from '../../engine.ts';
import type { WireDialect } from './dialect.ts';
import { StreamDecoder } from './stream-decoder.ts';

/**
 * Tokens that arrive within this time are sent together, in ms; the first one is never delayed. These are three screen frames:
 * each batch takes the cores from the engine for about a millisecond. See docs/adr/0004-coalesced-deltas.md.
 */
export const minBatchMs = 50;

/** The bytes of an answer. */
export interface WireStream {
  /** Waits for bytes and returns all that have arrived since the last call; undefined at the end. */
  read(): Promise<readonly Buffer[] | undefined>;
  /** Delivers at most one batch in each interval. */
  setMinimumInterval(intervalMs: number): void;
  /** Closes the connection, which makes the server stop. Does nothing after the end. */
  close(): void;
}

/** One try of a generation on one server. */
export interface WireAttempt {
  /** @throws Any error of the server, also for a status of 400 or more. */
  open(): Promise<WireStream>;
  succeed(): void;
  /**
   * Returns if the next attempt may repeat the request.
   *
   * @throws The error of the generation otherwise.
   */
  fail(error: unknown, hasOutput: boolean): void;
  /** Called after each attempt, also an unfinished one. */
  end(): void;
}

interface WireGeneration {
  readonly request: GenerationRequest;
  readonly dialect: WireDialect;
  /** The only model that may answer; absent: any. */
  readonly modelId?: string | undefined;
  /** Encodes the request. It fails with the errors of the generation. */
  readonly start: () => Iterable<WireAttempt> | Promise<Iterable<WireAttempt>>;
  /** Minimum time between two batches, from the first output on. */
  readonly intervalMs: () => number;
  readonly signal: AbortSignal;
}

/** Runs one generation: opens a stream, decodes it, and ends or fails it. */
export async function* generate({
  request,
  dialect,
  modelId,
  start,
  intervalMs,
  signal,
}: WireGeneration): AsyncGenerator<GenerationEvent, void, void> {
  for (const attempt of await start()) {
    const decoder = new StreamDecoder(request, dialect, modelId);
    let stream: WireStream | undefined;
    try {
      stream = await attempt.open();
      for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) {
        for (const event of decoder.decode(chunks)) {
          yield event;
          signal.throwIfAborted();
        }
        if (decoder.isStopped) break;
        if (decoder.hasOutput) stream.setMinimumInterval(intervalMs());
      }
      yield decoder.end();
      attempt.succeed();
      return;
    } catch (error) {
      if (decoder.hasOutput) {
        const { reasoningTokens } = decoder;
        yield { type: 'generation.cut', usage: decoder.usage(), reasoningTokens };
      }
      attempt.fail(error, decoder.hasOutput);
    } finally {
      stream?.close();
      attempt.end();
    }
  }
}
