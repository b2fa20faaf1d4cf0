import { HearthError } from '../kernel/errors/errors.ts';
import type { Prompt } from '../engines/engine.ts';
import type { Engines } from '../engines/engines.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import type { ModelSelection } from '../library/model.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import { assertTokens } from './assert-tokens.ts';
import { logGeneration } from './generation-stats.ts';
import { withFallbacks } from './request-target.ts';

export interface EmbedServices {
  readonly pool: Engines;
  /**
   * The minimum length to which a model's vectors may be cut. Undefined if the model was not trained for shorter
   * vectors, which then mean little.
   */
  readonly minDimensions: (modelKey: string) => number | undefined;
}

export interface EmbedRequest {
  /** Model key or instance id; undefined or empty: the only loaded embedding model. */
  readonly model: string | undefined;
  /** Idle time after which the instance is unloaded. */
  readonly ttlSeconds?: number;
  readonly inputs: readonly Prompt[];
  /** Length of the vectors; if absent, the model's full length. */
  readonly dimensions?: number;
}

export interface EmbedResult {
  readonly selection: ModelSelection;
  /** One vector per input, in order. */
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number;
}

const advice =
  ' LangChain for Python sends tokens of OpenAI models, unless `check_embedding_ctx_length=False` is set.';

/**
 * Embeds texts on an instance of an embedding model. Cut vectors are scaled back to unit length.
 *
 * @throws HearthError `invalid_value` for `dimensions` that the model does not support; the errors of `assertTokens`,
 *   `Engines.open` and `Session.embed`; the signal's reason when aborted.
 */
export async function embed(
  services: EmbedServices,
  request: EmbedRequest,
  context: RequestContext,
): Promise<EmbedResult> {
  const { pool } = services;
  const first = await pool.resolve(request.model, 'embedding', context.caller);
  return withFallbacks(pool, first, context, (target) =>
    embedWith(services, target, request, context),
  );
}

async function embedWith(
  { pool, minDimensions }: EmbedServices,
  target: ModelTarget,
  { ttlSeconds, inputs, dimensions }: EmbedRequest,
  context: RequestContext,
): Promise<EmbedResult> {
  const { model: entry } = target.selection;
  assertTokens(entry, inputs, 'inputs', advice);
  // If the header lacks the length of the vectors, `dimensions` is checked against the computed vectors.
  assertDimensions(dimensions, entry.dimensions?.embedding || undefined, minDimensions(entry.key));
  const session = pool.open({ target, ...omitUndefined({ ttlSeconds }) }, context);
  try {
    for await (const _ of session.ready());
    const { vectors, promptTokens } = await session.embed(inputs);
    const { selection } = session.lease.instance;
    logGeneration('embedding', { selection, usage: { promptTokens } }, context);
    assertDimensions(dimensions, vectors[0]?.length, minDimensions(selection.model.key));
    return {
      selection,
      promptTokens,
      vectors: vectors.map((vector) => shorten(vector, dimensions)),
    };
  } finally {
    session.close();
  }
}

function assertDimensions(
  wanted: number | undefined,
  length: number | undefined,
  minimum: number | undefined,
): void {
  if (wanted === undefined || length === undefined || wanted === length) return;
  if (minimum !== undefined && wanted >= minimum && wanted < length) return;
  const allowed =
    minimum === undefined || minimum >= length
      ? 'cannot be shortened'
      : `can be shortened to ${minimum} or more`;
  throw new HearthError(
    'invalid_value',
    `\`dimensions\` is ${wanted}; the vectors of the model have ${length} and ${allowed}.`,
    { field: 'dimensions' },
  );
}

/** Takes the first components, scaled to unit length (Kusupati et al., Matryoshka Representation Learning, 2022). */
function shorten(vector: readonly number[], length = vector.length): readonly number[] {
  if (vector.length === length) return vector;
  const first = vector.slice(0, length);
  const norm = Math.hypot(...first);
  return norm === 0 ? first : first.map((component) => component / norm);
}
