import { Hono } from 'hono';
import type { Logger } from '../kernel/logger.ts';
import { noEvents } from '../kernel/events/server-events.ts';
import type { AppEnvironment, HonoApp } from '../api/kit/app-environment.ts';
import { parseJsonBody, type ParseJson } from '../api/kit/body/json-body.ts';
import type { RevocationChecker } from '../api/kit/guards/revocation-checker.ts';
import { mountDocs } from './web/docs.ts';
import { createErrorHandler, type ApiOf } from '../api/kit/errors/error-response.ts';
import { createGuards, type GuardSettings } from '../api/kit/guards/guards.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { Api, App, Endpoint } from '../api/kit/mount.ts';
import { createNotFoundHandler } from '../api/kit/not-found.ts';
import { createObserver, type Observation } from '../api/kit/observe.ts';
import { openApiDocument } from '../api/kit/openapi/document.ts';
import { findApi } from '../api/kit/api.ts';
import type { RateGate } from '../api/kit/guards/rate-gate.ts';
import { createServerApi, type MetricsReader } from '../api/monitoring/api.ts';
import { pathOf } from './web/public-path.ts';
import { mountWebApp } from './web/mount-web-app.ts';

export interface AppOptions {
  readonly settings: GuardSettings;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly version: string;
  /** Folder of the built documentation site, `dist/docs`. */
  readonly docsFolder: string;
  /** Folder with the build of the web app, `dist/web`. */
  readonly webFolder: string;
  /** Random id of the home folder, by which commands recognize their own server. */
  readonly homeId?: string;
  /** Throws if the store does not respond. */
  readonly ping: () => Promise<void>;
  readonly apis: readonly Api[];
  /** Absent if requests are not reported. */
  readonly observation?: Observation;
  readonly metrics?: MetricsReader;
  /** If absent, JSON is parsed in the event loop. */
  readonly parseJson?: ParseJson;
  readonly revocationChecker?: RevocationChecker;
  readonly rateGate?: RateGate;
}

const unobserved: Observation = { events: noEvents, keepsPrompts: false, isTraced: false };

/** Creates the HTTP server without a socket, for `listen`, or for a test to call directly. */
export function createApp(options: AppOptions): HonoApp {
  const {
    settings,
    authenticator,
    logger,
    version,
    docsFolder,
    webFolder,
    homeId,
    ping,
    observation = unobserved,
    metrics,
  } = options;
  // With the prefix `/`, it is the API of all other paths.
  const serverApi = createServerApi({ homeId, ping, metrics });
  const apis = [serverApi, ...options.apis];
  const apiOf: ApiOf = (context) => context.get('api') ?? findApi(apis, context.req) ?? serverApi;

  const app: HonoApp = new Hono<AppEnvironment>();
  app.onError(createErrorHandler(apiOf));
  app.notFound(createNotFoundHandler(app, apiOf));
  app.use('*', createObserver(logger, apiOf, observation), createGuards(settings, authenticator));
  const endpoints = mountApis(app, apis, options);
  const pathPrefix = pathOf(settings['server.publicUrl']);
  mountWebApp(app, { folder: webFolder, pathPrefix }, (context) =>
    context.text(
      context.env.greeting ??
        `Hearth ${version}\nDocumentation: /docs\nReference of the API: /docs/reference/ and /openapi.json\n`,
    ),
  );
  mountDocs(app, docsFolder, pathPrefix);
  let document: Promise<unknown> | undefined;
  app.get('/openapi.json', async () => {
    document ??= openApiDocument(endpoints, { version, serverUrl: pathPrefix || '/' });
    return Response.json(await document);
  });
  return app;
}

/** Mounts all APIs and returns their endpoints. */
export function mountApis(
  hono: HonoApp,
  apis: readonly Api[],
  {
    settings,
    parseJson = async (pieces) => parseJsonBody(Buffer.concat(pieces)),
    revocationChecker,
    rateGate,
  }: Pick<AppOptions, 'parseJson' | 'revocationChecker' | 'rateGate'> & {
    readonly settings: Pick<GuardSettings, 'limits.bodyBytes'>;
  },
): readonly Endpoint[] {
  const endpoints: App['endpoints'] = new Map();
  const bodyLimitBytes = settings['limits.bodyBytes'];
  for (const api of apis) {
    api.mountRoutes({
      hono,
      api,
      apis,
      endpoints,
      parseJson,
      bodyLimitBytes,
      revocationChecker,
      rateGate,
    });
  }
  return [...endpoints.values()];
}
