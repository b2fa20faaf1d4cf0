import type { App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';
import { mountChat } from './chat.ts';
import { mountModels } from './models.ts';
import { mountResponses } from './responses.ts';
import { mountStatus } from './status.ts';

/** `/api/v1`: conversations kept on the server, typed events, models loaded and unloaded. */
export function mountV1(app: App, services: SurfaceServices): void {
  mountModels(app, services);
  mountChat(app, services);
  mountResponses(app, services);
  mountStatus(app, services);
}
