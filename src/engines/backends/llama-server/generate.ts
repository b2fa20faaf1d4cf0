import {
  readReply,
  type EngineConnection,
  type EngineReply,
} from '../../../net/engine-connection.ts';
import type { GenerationEvent, GenerationUsage } from '../../engine.ts';
import { minBatchMs } from '../min-batch-ms.ts';
import { connectionFailure } from './engine-failure.ts';

/** Converts the bytes of one answer to events. */
export interface GenerationDecoder {
  /** Whether the model has generated anything yet. */
  readonly hasOutput: boolean;
  /** Whether a stop string was found, after which the rest of the stream does not count. */
  readonly isStopped: boolean;
  readonly reasoningTokens: number;
  decode(chunks: readonly Buffer[]): readonly GenerationEvent[];
  /** The last event, after all bytes; throws what the engine reported, or that it broke off. */
  end(): GenerationEvent;
  usage(): GenerationUsage;
}

/** One generation as an engine's HTTP API has it. */
export interface GenerationCall {
  readonly path: string;
  readonly body: object;
  readonly decoder: GenerationDecoder;
  /** The error for an answer with a status other than 200. */
  readonly toFailure: (reply: EngineReply) => Error;
}

/** Runs generations on one engine. */
export function createGenerate(connection: EngineConnection) {
  return async function* generate(
    { path, body, decoder, toFailure }: GenerationCall,
    signal: AbortSignal,
  ): AsyncGenerator<GenerationEvent, void, void> {
    const stream = await connection.openStream(path, body, signal).catch((error: unknown) => {
      throw connectionFailure(error);
    });
    try {
      if (stream.status !== 200) throw toFailure(await readReply(stream));
      for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) {
        for (const event of decoder.decode(chunks)) {
          yield event;
          signal.throwIfAborted();
        }
        if (decoder.isStopped) break;
        if (decoder.hasOutput) stream.setMinimumInterval(minBatchMs);
      }
      yield decoder.end();
    } catch (error) {
      if (decoder.hasOutput) {
        const { reasoningTokens } = decoder;
        yield { type: 'generation.cut', usage: decoder.usage(), reasoningTokens };
      }
      throw connectionFailure(error);
    } finally {
      stream.close();
    }
  };
}
