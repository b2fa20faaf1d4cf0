import type { ApiRoutes } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { mountChatCompletions } from './chat.ts';
import { mountCompletions } from './completions.ts';
import { mountEmbeddingsV0 } from '../embeddings/embeddings.ts';
import { v0Errors } from '../errors.ts';
import { mountModels } from './models.ts';

/** `/api/v0`: stateless, in OpenAI's formats, with statistics. */
export function createV0Api(services: ApiServices): ApiRoutes {
  return {
    name: 'v0',
    description:
      'Stateless, in the shapes of OpenAI, with statistics of each answer. May change: new programs use v1.',
    errorSerializer: v0Errors,
    mountRoutes: (app) => {
      mountModels(app, services);
      mountChatCompletions(app, services);
      mountCompletions(app, services);
      mountEmbeddingsV0(app, services);
    },
  };
}
