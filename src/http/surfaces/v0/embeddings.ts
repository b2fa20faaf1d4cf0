import { omitUndefined } from '../../../omit-undefined.ts';
import { createEmbeddingV0 } from '../../../contract/v0/embedding.ts';
import { embed } from '../../../chat/embed.ts';
import { mount, type App } from '../../mount.ts';
import { toRequestContext } from '../../request-context.ts';
import type { SurfaceServices } from '../services.ts';

export function mountEmbeddings(app: App, { pool, logger }: SurfaceServices): void {
  mount(app, createEmbeddingV0, async (request) => {
    const { body } = request;
    const { model, vectors, promptTokens } = await embed(
      pool,
      {
        identifier: body.model ?? undefined,
        ...omitUndefined({ ttlSeconds: body.ttl }),
        inputs: typeof body.input === 'string' ? [body.input] : body.input,
      },
      toRequestContext(request, logger),
    );
    const isBase64 = body.encoding_format === 'base64';
    return {
      object: 'list',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        embedding: isBase64 ? toBase64(vector) : [...vector],
        index,
      })),
      model,
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    };
  });
}

/** Base64 of 32-bit little-endian floats, as OpenAI's clients decode them. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
