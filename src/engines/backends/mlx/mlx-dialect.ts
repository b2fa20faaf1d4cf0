import { HearthError } from '../../../kernel/errors/errors.ts';
import type { EngineReply } from '../../../platform/net/engine-connection.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { GenerationRequest, Sampling } from '../../engine.ts';
import type { WireDialect } from '../wire/dialect.ts';
import { engineStreamFailures } from '../wire/engine-client.ts';

/** Facts of the loaded model that a generation needs. */
export interface MlxModel {
  /** Maximum tokens of one request, prompt and answer together. */
  readonly contextLength: number;
  /** True if the model reasons by default; undefined if reasoning can't be switched. */
  readonly reasonsByDefault?: boolean;
}

/** mlx-lm's name for the model that it was started with. */
export const mlxModelName = 'default_model';

const lack = (reason: string) =>
  `the engine of MLX models does not support: ${reason}; use the model in GGUF format.`;

/** The API of mlx-lm's server, started by `mlx-launcher.py`. */
export const mlxDialect: WireDialect = {
  server: 'the engine of MLX models',
  paths: {
    chat: '/v1/chat/completions',
    completion: '/v1/completions',
    embeddings: '/v1/embeddings',
  },
  fields: {
    maxTokens: 'max_tokens',
    completionLogprobs: 'logprobs',
    sampling: {
      topK: 'top_k',
      minP: 'min_p',
      repeatPenalty: 'repetition_penalty',
      repeatLastTokens: 'repetition_context_size',
    },
  },
  minTopLogprobs: 0,
  embeddingFormat: 'float',
  lacks: {
    json_schema: lack('it has no grammars'),
    json_object: lack('it has no grammars'),
    images: lack('it reads text only'),
    audio: lack('it reads text only'),
    logprobs: lack('its streams have none'),
    completionLogprobs: lack('its streams have none'),
  },
  readsTokenIds: false,
  reasoning: 'template',
  toolChoice: 'ignored',
  // The server compares tokens and does not report which stop string it found.
  stopStrings: { chat: 'hearth', completion: 'hearth' },
  leavesReasoning: true,
  // The server does not know the markup of every model.
  leavesCalls: () => 'anywhere',
  explainsLimit: false,
  countsReasoning: true,
  failures: {
    ...engineStreamFailures,
    reported: ({ message }) =>
      contextExceeded(message) ??
      engineStreamFailures.broken(message?.slice(0, maxMessageCharacters) ?? 'no reason given'),
    isParseFailure: () => false,
  },
};

/** The request with Hearth's defaults and ranges instead of the server's. */
export function toMlxRequest(request: GenerationRequest, model: MlxModel): GenerationRequest {
  const limited = {
    ...request,
    // Without a limit, the server stops after 512 tokens. It lowers a limit that exceeds the rest of the context.
    maxTokens: request.maxTokens ?? model.contextLength,
    sampling: toSampling(request.sampling, model),
  };
  if (limited.kind === 'completion') return limited;
  const { reasonsByDefault } = model;
  const byDefault = reasonsByDefault === undefined ? undefined : reasonsByDefault ? 'on' : 'off';
  return { ...limited, ...omitUndefined({ reasoning: limited.reasoning ?? byDefault }) };
}

/** The server rejects negative seeds and windows, and treats a window of 0 as the whole context. */
function toSampling(sampling: Sampling, { contextLength }: MlxModel): Sampling {
  const { seed, topK, repeatPenalty, repeatLastTokens: window, ...others } = sampling;
  return {
    ...others,
    ...omitUndefined({
      seed: seed !== undefined && seed < 0 ? undefined : seed,
      topK: topK === undefined ? undefined : Math.max(0, topK),
      repeatPenalty: window === 0 ? undefined : repeatPenalty,
      repeatLastTokens:
        window === undefined || window === 0 ? undefined : window < 0 ? contextLength : window,
    }),
  };
}

const maxMessageCharacters = 500;
const tooLong = /prompt has (\d+) tokens; the context length is (\d+)/u;

/** Maps a response with a status other than 200. The server uses 400 and 404 for problems of the request. */
export function mlxFailure({ status, body }: EngineReply): HearthError {
  const message = messageOf(body).slice(0, maxMessageCharacters);
  const exceeded = contextExceeded(message);
  if (exceeded !== undefined) return exceeded;
  return status === 400 || status === 404
    ? new HearthError('invalid_value', `The engine rejected the request: ${message}`)
    : new HearthError('internal', `The engine returned status ${status}.`);
}

function contextExceeded(message = ''): HearthError | undefined {
  const [, tokens, maxTokens] = tooLong.exec(message) ?? [];
  if (tokens === undefined || maxTokens === undefined) return undefined;
  return new HearthError(
    'context_length_exceeded',
    `The prompt has ${tokens} tokens; the context of the model holds ${maxTokens}.`,
    {
      promptSize: { tokens: Number(tokens), isLowerBound: false, maxTokens: Number(maxTokens) },
    },
  );
}

function messageOf(body: unknown): string {
  const found =
    typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof found === 'string' ? found.replaceAll(/\s+/gu, ' ').trim() : 'no reason given';
}
