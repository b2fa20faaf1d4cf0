import type * as z from 'zod';
import { HearthError } from '../../../kernel/errors/errors.ts';
import {
  ConnectionLostError,
  readReply,
  type EngineConnection,
  type EngineReply,
} from '../../../platform/net/engine-connection.ts';
import type { Embeddings, GenerationEvent, GenerationRequest, Prompt } from '../../engine.ts';
import type { WireDialect, WireFailures } from './dialect.ts';
import { embeddingsRequest, readEmbeddings } from './embeddings.ts';
import { wireCall } from './request-body.ts';
import { StreamDecoder } from './stream-decoder.ts';

interface EngineClientOptions {
  readonly dialect: WireDialect;
  /** Name of the model; absent if the engine has only one. */
  readonly model?: string;
  /** Converts a response with a status other than 200 to an error. */
  readonly toFailure: (reply: EngineReply) => HearthError;
}

/** A client for an engine that runs on this machine. All methods throw `crashed` if the engine stops. */
export interface EngineClient {
  /** @throws HearthError the errors of `wireCall` and of the engine. */
  generate(request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent>;
  embed(inputs: readonly Prompt[], signal: AbortSignal): Promise<Embeddings>;
  post(path: string, body: object, signal: AbortSignal): Promise<EngineReply>;
  /**
   * Reads the body of a response.
   *
   * @param missing Ends the message "The engine sent no ..." if the body does not match the schema.
   */
  read<Body>(reply: EngineReply, schema: z.ZodType<Body>, missing: string): Body;
}

export function createEngineClient(
  connection: EngineConnection,
  { dialect, model, toFailure }: EngineClientOptions,
): EngineClient {
  async function post(path: string, body: object, signal: AbortSignal): Promise<EngineReply> {
    try {
      return await connection.postJson(path, body, signal);
    } catch (error) {
      throw connectionFailure(error);
    }
  }

  return {
    async *generate(request, signal) {
      const { path, body } = wireCall(request, dialect, model);
      try {
        const stream = await connection.openStream(path, body, signal);
        if (stream.status !== 200) throw toFailure(await readReply(stream));
        yield* new StreamDecoder(request, dialect).read(stream, signal);
      } catch (error) {
        throw connectionFailure(error);
      }
    },
    embed: async (inputs, signal) => {
      const body = embeddingsRequest(inputs, dialect, model);
      const reply = await post(dialect.paths.embeddings, body, signal);
      if (reply.status !== 200) throw toFailure(reply);
      const embeddings = readEmbeddings(reply.body, inputs);
      if (embeddings !== undefined) return embeddings;
      throw new HearthError('internal', 'The engine sent no embeddings.');
    },
    post,
    read: (reply, schema, missing) => {
      if (reply.status !== 200) throw toFailure(reply);
      const parsed = schema.safeParse(reply.body);
      if (parsed.success) return parsed.data;
      throw new HearthError('internal', `The engine sent no ${missing}.`, { cause: parsed.error });
    },
  };
}

/** Converts a lost connection to `crashed`, since the engine has died; returns other errors unchanged. */
export function connectionFailure(error: unknown): unknown {
  return error instanceof ConnectionLostError ? crashed(error) : error;
}

function crashed(cause?: unknown): HearthError {
  return new HearthError('crashed', 'The engine stopped during the request.', { cause });
}

/** Stream failures of a local engine that the engine does not report itself. */
export const engineStreamFailures: Pick<WireFailures, 'cut' | 'broken'> = {
  cut: () => crashed(),
  broken: (reason) => new HearthError('internal', `The engine failed: ${reason}`),
};
