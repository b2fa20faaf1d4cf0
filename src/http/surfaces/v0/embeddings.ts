import { embed } from '../../../chat/embed.ts';
import { createEmbeddingV0 } from '../../../contract/v0/embedding.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { mount, type App } from '../../mount.ts';
import { toBase64 } from '../../openai/base64-vector.ts';
import type { SurfaceServices } from '../services.ts';

export function mountEmbeddings(app: App, services: SurfaceServices): void {
  mount(app, createEmbeddingV0, async ({ body, context }) => {
    const request = {
      model: body.model ?? undefined,
      inputs: typeof body.input === 'string' ? [body.input] : body.input,
      ...omitUndefined({ ttlSeconds: body.ttl }),
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
      model: `${selection.model.key}@${selection.variant.id}`,
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    };
  });
}
