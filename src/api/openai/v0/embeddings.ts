import { createEmbeddingV0 } from './embedding-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import { embedInputs } from '../embeddings/embed-inputs.ts';
import type { ApiServices } from '../../services.ts';

export function mountEmbeddings(app: App, services: ApiServices): void {
  mount(app, createEmbeddingV0, ({ body, context }) =>
    embedInputs(services, body, context, ({ model, variant }) => `${model.key}@${variant.id}`),
  );
}
