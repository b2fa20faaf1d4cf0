import { embed } from '../../chat/embed.ts';
import { HearthError } from '../../contract/errors.ts';
import type { V0EmbeddingRequest, V0EmbeddingResult } from '../../contract/v0/embedding.ts';
import type { ModelSelection } from '../../models/model.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { RequestContext } from '../../request/request-context.ts';
import { toBase64 } from './base64-vector.ts';
import { toPrompts } from './prompts.ts';

/**
 * Embeds the inputs of a request.
 *
 * @param nameModel the name that the result has for the model
 * @throws HearthError `invalid_value` for `dimensions` other than the model's; the errors of `embed`.
 */
export async function embedInputs(
  services: Parameters<typeof embed>[0],
  body: V0EmbeddingRequest,
  context: RequestContext,
  nameModel: (selection: ModelSelection) => string,
): Promise<V0EmbeddingResult> {
  const request = {
    model: body.model ?? undefined,
    inputs: toPrompts(body.input),
    ...omitUndefined({ ttlSeconds: body.ttl }),
  };
  const { selection, vectors, promptTokens } = await embed(services, request, context);
  assertDimensions(body.dimensions, vectors[0]?.length);
  const isBase64 = body.encoding_format === 'base64';
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      embedding: isBase64 ? toBase64(vector) : [...vector],
      index,
    })),
    model: nameModel(selection),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  };
}

/**
 * Checks a requested length of vectors. No model declares that its vectors may be cut.
 *
 * @throws HearthError `invalid_value`.
 */
export function assertDimensions(
  wanted: number | null | undefined,
  length: number | undefined,
): void {
  if (wanted == null || wanted === length) return;
  throw new HearthError(
    'invalid_value',
    `\`dimensions\` is ${wanted}; the vectors of the model have ${length} and can not be shortened.`,
    { param: 'dimensions' },
  );
}
