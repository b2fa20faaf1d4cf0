import { OpenAPIHono } from '@hono/zod-openapi';
import type { Logger } from '../observability/logger.ts';
import type { App, AppEnvironment } from './app-environment.ts';
import { mountDocs } from './docs.ts';
import { createGuards, type GuardSettings } from './guards.ts';
import type { Authenticator } from './guards/authentication.ts';
import { createNotFoundHandler } from './not-found.ts';
import { createObserver } from './observe.ts';
import { createErrorHandler } from './on-error.ts';
import { openApiDocument } from './openapi.ts';
import { mountServer } from './surfaces/server/surface.ts';

export interface AppOptions {
  readonly settings: GuardSettings;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly version: string;
  /** Folder of the files of the reference page, `dist/docs`. */
  readonly docsFolder: string;
  /** Random id of the home folder, by which commands recognize their server. */
  readonly homeId?: string;
  /** Throws where the store does not answer. */
  readonly ping: () => Promise<void>;
  /** Mounts the endpoints of the API. */
  readonly surfaces: (app: App) => void;
}

/** The whole HTTP side, ready for `listen`, or for a test to call without a socket. */
export function createApp(options: AppOptions): App {
  const { settings, authenticator, logger, version, docsFolder, homeId, ping, surfaces } = options;
  const app: App = new OpenAPIHono<AppEnvironment>();
  app.onError(createErrorHandler(logger));
  app.notFound(createNotFoundHandler(app));
  app.use('*', createObserver(logger), createGuards(settings, authenticator));
  mountServer(app, { version, homeId, ping });
  surfaces(app);
  mountDocs(app, docsFolder);
  let document: unknown;
  app.get('/openapi.json', () =>
    Response.json((document ??= openApiDocument(app, { version, serverUrl: '/' }))),
  );
  return app;
}
