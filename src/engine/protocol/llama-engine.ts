import { type EngineConnection, readReply } from '../../net/engine-connection.ts';
import type { Engine, EngineProperties, GenerationEvent, GenerationRequest } from '../engine.ts';
import { chatBody } from './chat-body.ts';
import { ChatDecoder } from './chat-decoder.ts';
import { completionCall } from './completion-body.ts';
import { CompletionDecoder } from './completion-decoder.ts';
import { requestEmbeddings } from './embeddings.ts';
import { connectionFailure, replyFailure } from './engine-failure.ts';
import { requestTokenCount } from './tokenization.ts';

/**
 * Half a frame of a screen: once text flows, tokens that come faster than this go out together. The
 * first token waits for nothing.
 */
const batchIntervalMs = 8;

export interface LlamaEngineOptions {
  readonly connection: EngineConnection;
  readonly properties: EngineProperties;
}

/** An engine that speaks llama-server's HTTP API (tools/server/README.md of llama.cpp). */
export function createLlamaEngine({ connection, properties }: LlamaEngineOptions): Engine {
  return {
    properties,
    generate: (request, signal) => generate(connection, request, signal),
    embed: (inputs, signal) =>
      requestEmbeddings(connection, inputs, signal).catch(throwConnectionFailure),
    countTokens: (text, signal) =>
      requestTokenCount(connection, text, signal).catch(throwConnectionFailure),
  };
}

async function* generate(
  connection: EngineConnection,
  request: GenerationRequest,
  signal: AbortSignal,
): AsyncGenerator<GenerationEvent, void, void> {
  const { path, body, decoder } = prepare(request);
  const stream = await connection.openStream(path, body, signal).catch(throwConnectionFailure);
  try {
    if (stream.status !== 200) throw replyFailure(await readReply(stream));
    for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) {
      for (const event of decoder.decode(chunks)) {
        yield event;
        signal.throwIfAborted();
      }
      if (decoder.hasOutput) stream.setMinimumInterval(batchIntervalMs);
    }
    yield decoder.end();
  } catch (error) {
    throw connectionFailure(error);
  } finally {
    stream.close();
  }
}

function prepare(request: GenerationRequest) {
  if (request.kind === 'chat') {
    return {
      path: '/v1/chat/completions',
      body: chatBody(request),
      decoder: new ChatDecoder(request),
    };
  }
  return { ...completionCall(request), decoder: new CompletionDecoder(request) };
}

function throwConnectionFailure(error: unknown): never {
  throw connectionFailure(error);
}
