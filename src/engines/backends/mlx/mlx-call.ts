import { HearthError } from '../../../contract/errors.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import type { GenerationRequest, Prompt, Sampling } from '../../engine.ts';
import type { GenerationCall } from '../llama-server/generate.ts';
import { chatBody, completionBody } from '../remote/chat-body.ts';
import { featuresOf, lackingFeature, type Feature } from '../remote/features.ts';
import { MlxDecoder } from './mlx-decoder.ts';
import { mlxFailure } from './mlx-failure.ts';

/** What a generation needs to know about the loaded model. */
export interface MlxModel {
  /** Maximum tokens of one request, prompt and answer together. */
  readonly contextLength: number;
  /** Whether the model reasons where a request does not say; undefined if it can't be switched. */
  readonly reasonsByDefault?: boolean;
}

/** The name by which mlx-lm knows the model that it was started with. */
const modelName = 'default_model';

const lacks: Readonly<Partial<Record<Feature, string>>> = {
  json_schema: 'it has no grammars; use the model in GGUF format',
  json_object: 'it has no grammars; use the model in GGUF format',
  images: 'it reads text only; use the model in GGUF format',
  logprobs: 'its streams have none; use the model in GGUF format',
};

/**
 * The HTTP request to mlx-lm's server for one generation.
 *
 * @throws HearthError `invalid_value` for a feature that it lacks, `infill_unsupported`.
 */
export function mlxCall(request: GenerationRequest, model: MlxModel): GenerationCall {
  assertSupported(request);
  // Stop strings are found by Hearth: the server compares tokens, and does not tell which string it found.
  const { stop: _stop, ...rest } = {
    ...request,
    // Without a number, the server ends after 512 tokens; it shortens it to what the context has left.
    maxTokens: request.maxTokens ?? model.contextLength,
    sampling: toSampling(request.sampling, model),
  };
  const shared = { decoder: new MlxDecoder(request), toFailure: mlxFailure };
  if (rest.kind === 'completion') {
    const body = completionBody(modelName, 'mlx', rest);
    return { path: '/v1/completions', body, ...shared };
  }
  const { reasonsByDefault } = model;
  const byDefault = reasonsByDefault === undefined ? undefined : reasonsByDefault ? 'on' : 'off';
  const reasoning = rest.reasoning ?? byDefault;
  const body = chatBody(modelName, 'mlx', { ...rest, ...omitUndefined({ reasoning }) });
  return { path: '/v1/chat/completions', body, ...shared };
}

function assertSupported(request: GenerationRequest): void {
  const needed = featuresOf(request);
  const logprobs = [['logprobs', 'topLogprobs']] as const;
  const all = request.topLogprobs === undefined ? needed : [...needed, ...logprobs];
  for (const [feature, field] of all) {
    const reason = lacks[feature];
    if (reason !== undefined) {
      throw lackingFeature(feature, field, `the engine of MLX models does not support: ${reason}.`);
    }
  }
  if (request.kind === 'chat') return;
  assertText(request.prompt);
  if (request.suffix !== undefined) {
    throw new HearthError(
      'infill_unsupported',
      (name) => `\`${name('suffix')}\` is not supported by the engine of MLX models.`,
      { field: 'suffix' },
    );
  }
}

/** @throws HearthError `invalid_value` for a prompt of token ids. */
function assertText(prompt: Prompt): void {
  if (typeof prompt === 'string') return;
  throw new HearthError(
    'invalid_value',
    (name) => `\`${name('prompt')}\` must be a text: the engine of MLX models reads no token ids.`,
    { field: 'prompt' },
  );
}

/** In the server's ranges: it refuses negative seeds and windows, and a window of 0 is the whole context there. */
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
