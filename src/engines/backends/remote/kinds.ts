import * as z from 'zod';
import { llamaFields } from '../llama-server/llama-dialect.ts';
import type { WireDialect } from '../wire/dialect.ts';
import type { UpstreamKind } from './upstream.ts';
import { streamedFailure, UpstreamBroken } from './upstream-failure.ts';

/** Differences between the kinds of remote servers. */
interface KindOfServer {
  readonly dialect: WireDialect;
  /** Path of the health check, relative to the server's root. Absent if not all servers of this kind have one. */
  readonly healthPath?: string;
  /** Endpoint that counts the tokens of a chat. Absent if no server of this kind has one. */
  readonly promptCount?: {
    /** Relative to the server's root. */
    readonly path: string;
    readonly reply: z.ZodType<number>;
  };
  /** The server answers with its only model, whatever model the request names. */
  readonly ignoresModel?: true;
  /** The server silently truncates a prompt that exceeds its context. */
  readonly shortensPrompts?: true;
  /** Rerankers score by logits instead of values from 0 to 1. */
  readonly ranksByLogit?: true;
  /** The server supports all features, so none is probed. */
  readonly isComplete?: true;
}

const openai: Omit<WireDialect, 'server'> = {
  paths: { chat: '/chat/completions', completion: '/completions', embeddings: '/embeddings' },
  fields: { maxTokens: 'max_tokens', completionLogprobs: 'logprobs', sampling: {} },
  minTopLogprobs: 0,
  embeddingFormat: 'float',
  readsTokenIds: true,
  infill: { path: '/completions', prompt: 'prompt', suffix: 'suffix' },
  reasoning: 'effort',
  toolChoice: 'server',
  stopStrings: { chat: 'server', completion: 'server' },
  leavesReasoning: true,
  leavesCalls: () => 'atStart',
  explainsLimit: false,
  countsReasoning: true,
  failures: {
    cut: () => new UpstreamBroken('its answer broke off'),
    broken: (reason) => new UpstreamBroken(reason),
    reported: streamedFailure,
    isParseFailure: () => false,
  },
};

const vllm: Omit<WireDialect, 'server'> = {
  ...openai,
  fields: {
    ...openai.fields,
    sampling: { topK: 'top_k', minP: 'min_p', repeatPenalty: 'repetition_penalty' },
  },
  reasoning: 'template',
};

const llamaServer: Omit<WireDialect, 'server'> = {
  ...openai,
  fields: {
    ...openai.fields,
    ...llamaFields,
  },
  minTopLogprobs: 1,
  reasoning: 'template',
  // In OpenAI's API, the server does not name the stop string that it found. With `timings_per_token`, each event has
  // the usage so far.
  stopStrings: { chat: 'hearth', completion: 'hearth' },
  ownFields: ({ stop = [] }) => (stop.length > 0 ? { timings_per_token: true } : {}),
};

const ollama: Omit<WireDialect, 'server'> = {
  ...openai,
  toolChoice: 'ignored',
  // The server does not name the stop string that it found.
  stopStrings: { chat: 'hearth', completion: 'hearth' },
};

const hearth: Omit<WireDialect, 'server'> = {
  ...openai,
  fields: {
    ...openai.fields,
    sampling: { topK: 'top_k', minP: 'min_p', repeatPenalty: 'repeat_penalty' },
  },
  // OpenAI's API does not name the stop string that ended an answer.
  stopStrings: { chat: 'hearth', completion: 'hearth' },
  leavesReasoning: false,
  leavesCalls: () => 'nowhere',
};

const tokenCount = z.int().nonnegative();

export const kindsOfServers: Readonly<Record<UpstreamKind, KindOfServer>> = {
  openai: { dialect: { ...openai, server: named('openai') } },
  vllm: {
    dialect: { ...vllm, server: named('vllm') },
    healthPath: '/health',
    promptCount: {
      path: '/tokenize',
      reply: z.object({ count: tokenCount }).transform(({ count }) => count),
    },
  },
  sglang: { dialect: { ...vllm, server: named('sglang') }, healthPath: '/health' },
  'llama-server': {
    dialect: { ...llamaServer, server: named('llama-server') },
    healthPath: '/health',
    promptCount: {
      path: '/v1/chat/completions/input_tokens',
      reply: z.object({ input_tokens: tokenCount }).transform((reply) => reply.input_tokens),
    },
    ignoresModel: true,
    ranksByLogit: true,
  },
  ollama: {
    dialect: { ...ollama, server: named('ollama') },
    healthPath: '/api/version',
    shortensPrompts: true,
  },
  hearth: {
    dialect: { ...hearth, server: 'linked machines' },
    healthPath: '/health',
    isComplete: true,
  },
};

function named(kind: UpstreamKind): string {
  return `remote servers of the kind "${kind}"`;
}
