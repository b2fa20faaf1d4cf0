import type { ApiRoutes } from '../kit/mount.ts';
import type { ApiServices } from '../services.ts';
import { mountChat } from './chat.ts';
import { mountCreate } from './create.ts';
import { mountEmbeddings } from './embeddings.ts';
import { ollamaErrors } from './errors.ts';
import { mountGenerate } from './generate.ts';
import { mountModels } from './models.ts';
import { mountPull } from './pull.ts';

/** `/api`: Ollama's API, for clients of Ollama. */
export function createOllamaApi(services: ApiServices): ApiRoutes {
  return {
    name: 'ollama',
    description: 'The API of Ollama, for clients that were made for it.',
    takesUndeclaredJson: true,
    errorSerializer: ollamaErrors,
    mountRoutes: (app) => {
      mountModels(app, services);
      mountChat(app, services);
      mountGenerate(app, services);
      mountEmbeddings(app, services);
      mountPull(app, services);
      mountCreate(app, services);
    },
  };
}
