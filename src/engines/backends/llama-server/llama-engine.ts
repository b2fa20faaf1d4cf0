import { HearthError } from '../../../contract/errors.ts';
import type { EngineConnection } from '../../../net/engine-connection.ts';
import type { Engine, GenerationRequest } from '../../engine.ts';
import { chatBody } from './chat-body.ts';
import { ChatDecoder } from './chat-decoder.ts';
import { completionCall } from './completion-body.ts';
import { CompletionDecoder } from './completion-decoder.ts';
import { requestEmbeddings } from './embeddings.ts';
import { connectionFailure, replyFailure } from './engine-failure.ts';
import { createGenerate, type GenerationCall } from './generate.ts';
import { requestRelevance } from './rerank.ts';
import { requestRenderedPrompt } from './rendered-prompt.ts';
import { requestPromptTokenCount, requestTokenCount } from './tokenization.ts';

interface LlamaEngineOptions {
  /** Tokens of a slot. */
  readonly contextLength: number;
  /** Whether it drafts tokens. It then reports no probabilities of those that it accepts. */
  readonly speculates: boolean;
}

/** An engine with llama-server's HTTP API (tools/server/README.md of llama.cpp). */
export function createLlamaEngine(
  connection: EngineConnection,
  { contextLength, speculates }: LlamaEngineOptions,
): Engine {
  const generate = createGenerate(connection);
  return {
    generate: (request, { signal }) => {
      if (speculates && request.topLogprobs !== undefined) throw noLogprobs();
      return generate(prepare(request), signal);
    },
    embed: (inputs, { signal }) =>
      requestEmbeddings(connection, inputs, signal, contextLength).catch(throwConnectionFailure),
    rank: (query, documents, { signal }) =>
      requestRelevance(connection, query, documents, signal, contextLength).catch(
        throwConnectionFailure,
      ),
    renderPrompt: (request, { signal }) =>
      requestRenderedPrompt(connection, request, signal).catch(throwConnectionFailure),
    countTokens: (text, { signal }) =>
      requestTokenCount(connection, text, signal).catch(throwConnectionFailure),
    countPromptTokens: (request, { signal }) =>
      requestPromptTokenCount(connection, chatBody(request), signal).catch(throwConnectionFailure),
  };
}

function noLogprobs(): HearthError {
  return new HearthError(
    'invalid_value',
    (name) =>
      `\`${name('topLogprobs')}\` is not available: the instance was loaded with speculation, which reports no log probabilities.`,
    { field: 'topLogprobs' },
  );
}

function prepare(request: GenerationRequest): GenerationCall {
  if (request.kind === 'chat') {
    return {
      path: '/v1/chat/completions',
      body: chatBody(request),
      decoder: new ChatDecoder(request),
      toFailure: replyFailure,
    };
  }
  return {
    ...completionCall(request),
    decoder: new CompletionDecoder(request),
    toFailure: replyFailure,
  };
}

function throwConnectionFailure(error: unknown): never {
  throw connectionFailure(error);
}
