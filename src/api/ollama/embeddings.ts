import { embed, type EmbedResult } from '../../chat/embed.ts';
import { embedOllama, embedOneOllama } from './embed-schema.ts';
import { findOllamaModel } from '../../library/ollama/find-model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { mount, type App } from '../kit/mount.ts';
import type { ApiServices } from '../services.ts';
import { loadModel } from './answer.ts';
import { toNanoseconds } from './answer-lines.ts';
import { toTtlSeconds } from './keep-alive.ts';

interface EmbedFields {
  readonly model: string;
  readonly keep_alive?: string | number | null | undefined;
  readonly dimensions?: number | null | undefined;
}

export function mountEmbeddings(app: App, services: ApiServices): void {
  const run = async (
    { model, keep_alive: keepAlive, dimensions }: EmbedFields,
    inputs: readonly string[],
    context: RequestContext,
  ): Promise<EmbedResult> => {
    const found = await findOllamaModel(services.libraryFor(context.caller), model);
    const options = omitUndefined({ ttlSeconds: toTtlSeconds(keepAlive) });
    const isEmpty = inputs.every((text) => text === '');
    if (!isEmpty) {
      const request = { model: found.identifier, inputs, ...options };
      const length = omitUndefined({ dimensions: dimensions ?? undefined });
      return embed(services, { ...request, ...length }, context);
    }
    // Clients send an empty input to load a model.
    await loadModel(services, found, options, context);
    return { selection: found.selection, vectors: [], promptTokens: 0 };
  };

  mount(app, embedOllama, async ({ body, context }) => {
    const startedAt = performance.now();
    const inputs = [body.input ?? []].flat();
    const { vectors, promptTokens } = await run(body, inputs, context);
    return {
      model: body.model,
      embeddings: vectors.map((vector) => [...vector]),
      total_duration: toNanoseconds((performance.now() - startedAt) / 1000),
      prompt_eval_count: promptTokens,
    };
  });

  mount(app, embedOneOllama, async ({ body, context }) => {
    const { vectors } = await run(body, [body.prompt], context);
    return { embedding: [...(vectors[0] ?? [])] };
  });
}
