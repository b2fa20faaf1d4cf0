import type { App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';
import { mountCatalog } from './catalog.ts';
import { mountChat } from './chat.ts';
import { mountDownloads } from './downloads.ts';
import { mountModels } from './models.ts';
import { mountResponses } from './responses.ts';
import { mountSpeechScript } from './speech-script.ts';
import { mountStatus } from './status.ts';
import { mountTokens } from './tokens.ts';

/** `/api/v1`: conversations kept on the server, typed events, models loaded and unloaded. */
export function mountV1(app: App, services: SurfaceServices): void {
  // Before the models: their keys may hold slashes, so `models/{model}` takes any path below.
  mountDownloads(app, services);
  mountCatalog(app, services);
  mountModels(app, services);
  mountChat(app, services);
  mountResponses(app, services);
  mountSpeechScript(app);
  mountStatus(app, services);
  mountTokens(app, services.tokens);
}
