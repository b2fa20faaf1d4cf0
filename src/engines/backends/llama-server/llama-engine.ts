import * as z from 'zod';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { EngineConnection } from '../../../platform/net/engine-connection.ts';
import type {
  ChatGeneration,
  Engine,
  GenerationRequest,
  GenerationUsage,
  Relevance,
} from '../../engine.ts';
import { createEngineClient, type EngineClient } from '../wire/engine-client.ts';
import { readRelevance } from '../wire/rerank.ts';
import { wireCall } from '../wire/request-body.ts';
import { replyFailure } from './engine-failure.ts';
import type { WireDialect } from '../wire/dialect.ts';
import { createLlamaDialect, type AttachedAdapters } from './llama-dialect.ts';

interface LlamaEngineOptions {
  /** Context length of one slot, in tokens. */
  readonly contextLength: number;
  /** True if the engine drafts tokens. It then reports no probabilities for accepted drafts. */
  readonly speculates: boolean;
  readonly adapters: AttachedAdapters;
}

/** An engine with llama-server's HTTP API (tools/server/README.md of llama.cpp). */
export function createLlamaEngine(
  connection: EngineConnection,
  { contextLength, speculates, adapters }: LlamaEngineOptions,
): Engine {
  const dialect = createLlamaDialect(adapters, contextLength);
  const client = createLlamaClient(connection, dialect, contextLength);
  return {
    generate: (request, { signal }) => {
      if (speculates && request.topLogprobs !== undefined) throw noLogprobs();
      return client.generate(request, signal);
    },
    embed: (inputs, { signal }) => client.embed(inputs, signal),
    rank: (query, documents, { signal }) => requestRelevance(client, query, documents, signal),
    renderPrompt: (request, { signal }) => requestRenderedPrompt(client, dialect, request, signal),
    countTokens: async (text, { signal }) =>
      (await requestTokens(client, { content: text, add_special: false }, signal)).length,
    // This endpoint needs no slot.
    countPromptTokens: async (request, { signal }) => {
      const { body } = wireCall(request, dialect);
      const reply = await client.post('/v1/chat/completions/input_tokens', body, signal);
      return client.read(reply, promptCountBody, 'count of tokens').input_tokens;
    },
  };
}

/** @param contextLength See `replyFailure`. */
export function createLlamaClient(
  connection: EngineConnection,
  dialect: WireDialect,
  contextLength?: number,
): EngineClient {
  return createEngineClient(connection, {
    dialect,
    toFailure: (reply) => replyFailure(reply, contextLength),
  });
}

/**
 * Generates a text outside of any request.
 *
 * @returns the measurements.
 */
export async function sampleEngine(
  connection: EngineConnection,
  request: GenerationRequest,
  signal: AbortSignal,
): Promise<GenerationUsage> {
  const client = createLlamaClient(connection, createLlamaDialect([]));
  for await (const event of client.generate(request, signal)) {
    if (event.type === 'generation.end') return event.usage;
  }
  throw new HearthError('internal', 'The engine did not end a sample.');
}

const promptCountBody = z.object({ input_tokens: z.int().nonnegative() });
const tokensBody = z.object({ tokens: z.array(z.number()) });
const promptBody = z.object({ prompt: z.string() });

/** Tokenizes a text through `/tokenize`. */
export async function requestTokens(
  client: EngineClient,
  body: { readonly content: string; readonly add_special: boolean; readonly parse_special?: true },
  signal: AbortSignal,
): Promise<readonly number[]> {
  const reply = await client.post('/tokenize', body, signal);
  return client.read(reply, tokensBody, 'tokens').tokens;
}

/** Applies the chat template through `/apply-template`; undefined if the server lacks this endpoint. */
export async function requestRenderedPrompt(
  client: EngineClient,
  dialect: WireDialect,
  request: ChatGeneration,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reply = await client.post('/apply-template', wireCall(request, dialect).body, signal);
  return reply.status === 404 ? undefined : client.read(reply, promptBody, 'prompt').prompt;
}

/** Scores documents through `/v1/rerank`. */
async function requestRelevance(
  client: EngineClient,
  query: string,
  documents: readonly string[],
  signal: AbortSignal,
): Promise<Relevance> {
  const reply = await client.post('/v1/rerank', { query, documents }, signal);
  const missing = 'score for each document';
  const relevance = readRelevance(client.read(reply, z.unknown(), missing), query, documents);
  if (relevance === undefined) {
    throw new HearthError('internal', `The engine sent no ${missing}.`);
  }
  return relevance;
}

function noLogprobs(): HearthError {
  return new HearthError(
    'invalid_value',
    (name) =>
      `\`${name('topLogprobs')}\` is not available: the instance was loaded with speculation, which reports no log probabilities.`,
    { field: 'topLogprobs' },
  );
}
