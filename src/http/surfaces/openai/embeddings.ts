import { embed } from '../../../chat/embed.ts';
import { HearthError } from '../../../contract/errors.ts';
import { createEmbeddingOpenAi } from '../../../contract/openai/embedding.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { mount, type App } from '../../mount.ts';
import { toBase64 } from '../../openai/base64-vector.ts';
import { toPrompts } from '../../openai/prompts.ts';
import type { SurfaceServices } from '../services.ts';

export function mountEmbeddings(app: App, services: SurfaceServices): void {
  mount(app, createEmbeddingOpenAi, async ({ body, context }) => {
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
      model: body.model || selection.model.key,
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    };
  });
}

/** No model declares that its vectors may be cut. */
function assertDimensions(wanted: number | null | undefined, length: number | undefined): void {
  if (wanted == null || wanted === length) return;
  throw new HearthError(
    'invalid_value',
    `\`dimensions\` is ${wanted}; the vectors of the model have ${length} and can not be shortened.`,
    { param: 'dimensions' },
  );
}
