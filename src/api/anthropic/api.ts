import type { ApiRoutes } from '../kit/mount.ts';
import type { ApiServices } from '../services.ts';
import { anthropicErrors } from './errors.ts';
import { mountMessages } from './messages.ts';
import { mountModels } from './models.ts';

/** `/v1/messages`: Anthropic's API, for clients of Anthropic. */
export function createAnthropicApi(services: ApiServices): ApiRoutes {
  return {
    name: 'anthropic',
    description: 'The API of Anthropic, for clients that were made for it.',
    requestIdHeader: 'Request-Id',
    rateLimitStyle: 'anthropic',
    errorSerializer: anthropicErrors,
    mountRoutes: (app) => {
      mountModels(app, services);
      mountMessages(app, services);
    },
  };
}
