import { createEmbeddingV0 } from '../../../contract/v0/embedding.ts';
import { mount, type App } from '../../mount.ts';
import { embedInputs } from '../../openai/embeddings.ts';
import type { SurfaceServices } from '../services.ts';

export function mountEmbeddings(app: App, services: SurfaceServices): void {
  mount(app, createEmbeddingV0, ({ body, context }) =>
    embedInputs(services, body, context, ({ model, variant }) => `${model.key}@${variant.id}`),
  );
}
