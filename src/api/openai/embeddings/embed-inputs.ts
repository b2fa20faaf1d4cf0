import { embed, type EmbedServices } from '../../../chat/embed.ts';
import type { V0EmbeddingRequest, V0EmbeddingResult } from '../v0/embedding-schema.ts';
import type { ModelSelection } from '../../../library/model.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../../telemetry/request-context.ts';
import { toBase64 } from './base64-vector.ts';
import { toPrompts } from '../completions/prompts.ts';

/**
 * Embeds the inputs of a request.
 *
 * @param nameModel the name that the result has for the model
 * @throws The errors of `embed`.
 */
export async function embedInputs(
  services: EmbedServices,
  body: V0EmbeddingRequest,
  context: RequestContext,
  nameModel: (selection: ModelSelection) => string,
): Promise<V0EmbeddingResult> {
  const request = {
    model: body.model ?? undefined,
    inputs: toPrompts(body.input),
    ...omitUndefined({ ttlSeconds: body.ttl, dimensions: body.dimensions ?? undefined }),
  };
  const { selection, vectors, promptTokens } = await embed(services, request, context);
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
