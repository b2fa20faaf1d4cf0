import {
  type EngineConnection,
  type EngineStream,
  readReply,
} from '../../net/engine-connection.ts';
import type { Engine, GenerationEvent, GenerationRequest } from '../engine.ts';
import { chatBody } from './chat-body.ts';
import { ChatDecoder } from './chat-decoder.ts';
import { completionCall } from './completion-body.ts';
import { CompletionDecoder } from './completion-decoder.ts';
import { requestEmbeddings } from './embeddings.ts';
import { connectionFailure, replyFailure } from './engine-failure.ts';
import { requestRelevance } from './rerank.ts';
import { requestRenderedPrompt } from './rendered-prompt.ts';
import { requestPromptTokenCount, requestTokenCount } from './tokenization.ts';

/**
 * Tokens that arrive within this time are sent together; the first one is never delayed.
 * This is one screen frame for a single stream. With many streams each waits longer, since every batch costs
 * as much as reading several tokens, but never long enough to be visible.
 */
const batchMs = { least: 16, perStream: 5, most: 50 };

/** An engine with llama-server's HTTP API (tools/server/README.md of llama.cpp). */
export function createLlamaEngine(connection: EngineConnection): Engine {
  const streams = new Set<EngineStream>();
  return {
    generate: (request, { signal }) => generate(connection, streams, request, signal),
    embed: (inputs, { signal }) =>
      requestEmbeddings(connection, inputs, signal).catch(throwConnectionFailure),
    rank: (query, documents, { signal }) =>
      requestRelevance(connection, query, documents, signal).catch(throwConnectionFailure),
    renderPrompt: (request, { signal }) =>
      requestRenderedPrompt(connection, request, signal).catch(throwConnectionFailure),
    countTokens: (text, { signal }) =>
      requestTokenCount(connection, text, signal).catch(throwConnectionFailure),
    countPromptTokens: (request, { signal }) =>
      requestPromptTokenCount(connection, chatBody(request), signal).catch(throwConnectionFailure),
  };
}

async function* generate(
  connection: EngineConnection,
  streams: Set<EngineStream>,
  request: GenerationRequest,
  signal: AbortSignal,
): AsyncGenerator<GenerationEvent, void, void> {
  const { path, body, decoder } = prepare(request);
  const stream = await connection.openStream(path, body, signal).catch(throwConnectionFailure);
  streams.add(stream);
  try {
    if (stream.status !== 200) throw replyFailure(await readReply(stream));
    for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) {
      for (const event of decoder.decode(chunks)) {
        yield event;
        signal.throwIfAborted();
      }
      if (decoder.isStopped) break;
      if (decoder.hasOutput) stream.setMinimumInterval(batchIntervalMs(streams.size));
    }
    yield decoder.end();
  } catch (error) {
    if (decoder.hasOutput) {
      const { reasoningTokens } = decoder;
      yield { type: 'generation.cut', usage: decoder.usage(), reasoningTokens };
    }
    throw connectionFailure(error);
  } finally {
    streams.delete(stream);
    stream.close();
  }
}

function batchIntervalMs(streamCount: number): number {
  return Math.min(batchMs.most, Math.max(batchMs.least, streamCount * batchMs.perStream));
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
