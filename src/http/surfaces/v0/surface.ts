import type { App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';
import { mountChatCompletions } from './chat-completions.ts';
import { mountCompletions } from './completions.ts';
import { mountEmbeddings } from './embeddings.ts';
import { mountModels } from './models.ts';

/** `/api/v0`: stateless, in OpenAI's shapes, with statistics. */
export function mountV0(app: App, services: SurfaceServices): void {
  mountModels(app, services);
  mountChatCompletions(app, services);
  mountCompletions(app, services);
  mountEmbeddings(app, services);
}
