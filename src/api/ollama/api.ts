import type { Api } from '../kit/api.ts';
import type { ApiServices } from '../services.ts';
import { mountChat } from './chat.ts';
import { mountEmbeddings } from './embeddings.ts';
import { ollamaErrors } from './errors.ts';
import { mountGenerate } from './generate.ts';
import { mountModels } from './models.ts';
import { mountPull } from './pull.ts';

/** Endpoints, each of them a prefix: `/api/v0` and `/api/v1` are other APIs. */
const endpoints = ['version', 'tags', 'ps', 'show', 'chat', 'generate', 'embed', 'embeddings'];
const changing = ['pull', 'copy', 'delete'];
/** Known to clients, and not offered: their requests get an error in their format. */
const missing = ['push', 'create', 'blobs', 'me', 'signout'];

/** `/api`: the API of Ollama, for clients that were made for it. */
export function createOllamaApi(services: ApiServices): Api {
  return {
    name: 'ollama',
    description: 'The API of Ollama, for clients that were made for it.',
    prefixes: [...endpoints, ...changing, ...missing].map((name) => `/api/${name}`),
    takesUndeclaredJson: true,
    errorSerializer: ollamaErrors,
    mountRoutes: (app) => {
      mountModels(app, services);
      mountChat(app, services);
      mountGenerate(app, services);
      mountEmbeddings(app, services);
      mountPull(app, services);
    },
  };
}
