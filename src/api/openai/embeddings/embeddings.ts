import { embed, type EmbedServices } from '../../../chat/embed.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { ModelSelection } from '../../../library/model.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toPrompts } from '../completions/completion-choices.ts';
import {
  createEmbeddingOpenAi,
  createEmbeddingV0,
  type V0EmbeddingRequest,
  type V0EmbeddingResult,
} from './embedding-schema.ts';

/** OpenAI's embeddings: the result has the model's name from the request. */
export function mountEmbeddings(app: App, services: ApiServices): void {
  mount(app, createEmbeddingOpenAi, ({ body, context }) =>
    embedInputs(services, body, context, ({ model }) => body.model || model.key),
  );
}

/** v0's embeddings: the result's model name includes the variant. */
export function mountEmbeddingsV0(app: App, services: ApiServices): void {
  mount(app, createEmbeddingV0, ({ body, context }) =>
    embedInputs(services, body, context, ({ model, variant }) => `${model.key}@${variant.id}`),
  );
}

async function embedInputs(
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

/** Base64 of 32-bit little-endian floats, the encoding that OpenAI's clients expect. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
