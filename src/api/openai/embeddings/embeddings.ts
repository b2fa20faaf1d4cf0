import { createEmbeddingOpenAi } from './embedding-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import { embedInputs } from './embed-inputs.ts';
import type { ApiServices } from '../../services.ts';

export function mountEmbeddings(app: App, services: ApiServices): void {
  mount(app, createEmbeddingOpenAi, ({ body, context }) =>
    embedInputs(services, body, context, ({ model }) => body.model || model.key),
  );
}
