import { createEmbeddingOpenAi } from '../../../contract/openai/embedding.ts';
import { mount, type App } from '../../mount.ts';
import { embedInputs } from '../../openai/embeddings.ts';
import type { SurfaceServices } from '../services.ts';

export function mountEmbeddings(app: App, services: SurfaceServices): void {
  mount(app, createEmbeddingOpenAi, ({ body, context }) =>
    embedInputs(services, body, context, ({ model }) => body.model || model.key),
  );
}
