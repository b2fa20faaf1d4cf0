import type { Context, Handler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type * as z from 'zod';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import {
  chooseByClient,
  hasPrefix,
  isFromClient,
  type ApiDescription,
  type PathClaim,
} from './api.ts';
import type { AppEnvironment, HonoApp } from './app-environment.ts';
import { elideLongTexts } from './body/elide-long-texts.ts';
import { readJsonBody, type ParseJson } from './body/json-body.ts';
import { openUpload, type UploadBody } from './body/upload-body.ts';
import type { RevocationChecker } from './guards/revocation-checker.ts';
import { checkContent } from './guards/guards.ts';
import { authorize, toCaller, toRecordedCaller } from './guards/principal.ts';
import type { RateGate } from './guards/rate-gate.ts';
import { endpointMethods } from './not-found.ts';
import { jsonResponse } from './observe.ts';
import type { Route } from './route.ts';
import { shorten } from './validation/shown-value.ts';
import { validate } from './validation/validation-error.ts';

/** An API with its endpoints. */
export interface Api extends ApiDescription {
  /** Mounts the endpoints with `mount`. */
  readonly mountRoutes: (app: App) => void;
}

/** An API without its paths, which `src/api/apis.ts` adds. */
export type ApiRoutes = Omit<Api, keyof PathClaim>;

/** A mounted route and the API that it belongs to. */
export interface Endpoint {
  readonly api: ApiDescription;
  readonly route: Route;
}

/** The app with the context of one API; `createApp` creates one for each API. */
export interface App {
  readonly hono: HonoApp;
  readonly api: ApiDescription;
  /** Endpoints of all APIs by handler, in the order in which they were mounted. */
  readonly endpoints: Map<unknown, Endpoint>;
  /** All APIs. */
  readonly apis: readonly ApiDescription[];
  readonly parseJson: ParseJson;
  /** Maximum size of a JSON body. */
  readonly bodyLimitBytes: number;
  /** Ends answers when the caller's token is revoked or expires; absent if tokens are not checked again. */
  readonly revocationChecker?: RevocationChecker | undefined;
  /** Absent if no token has a limit. */
  readonly rateGate?: RateGate | undefined;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type SchemaOf<Declared, Part extends string> =
  Declared extends Readonly<Record<Part, infer Schema>> ? Schema : undefined;

/** A request that was validated against its route. */
export interface RouteRequest<Declared extends Route> {
  readonly params: Output<SchemaOf<Declared, 'params'>>;
  readonly query: Output<SchemaOf<Declared, 'query'>>;
  readonly headers: Output<SchemaOf<Declared, 'headers'>>;
  readonly body: Output<SchemaOf<Declared, 'body'>>;
  /** The raw body of a route that declares an upload. */
  readonly upload: Declared extends { readonly upload: object } ? UploadBody : undefined;
  readonly context: RequestContext;
  /**
   * Counts the request against its token's limits, for routes that do so only in some cases. Routes that declare
   * `rate_limit_exceeded` always do.
   *
   * @throws HearthError `rate_limit_exceeded`
   */
  readonly admit: () => Promise<void>;
}

type RouteHandler<Declared extends Route> = (
  request: RouteRequest<Declared>,
) => Promise<z.output<Declared['result']> | Response>;

/**
 * Serves a route: checks the permission, validates the request and sends the handler's result as JSON. A `Response`,
 * such as an event stream, is sent unchanged. The API formats the handler's errors.
 */
export function mount<Declared extends Route>(
  app: App,
  route: Declared,
  handler: NoInfer<RouteHandler<Declared>>,
): void {
  const { hono, api, endpoints } = app;
  if (!hasPrefix(api.prefixes, route.path)) {
    throw new TypeError(`${route.path} begins with none of the prefixes of ${api.name}.`);
  }
  const method = route.method.toUpperCase();
  const takesRest = route.path.includes('...}');
  const excluded = app.apis.filter(
    (other) => other !== api && hasPrefix(other.unservedPaths ?? [], route.path),
  );
  const limitBytes = Math.min(app.bodyLimitBytes, route.maxBodyBytes ?? Number.POSITIVE_INFINITY);
  const content = {
    method,
    upload: route.upload,
    // Uploads have their own limit.
    limitBytes: route.upload === undefined ? limitBytes : Number.POSITIVE_INFINITY,
  };
  const mayRunLong = route.events !== undefined || route.lines !== undefined;
  const isRateLimited = route.errors.includes('rate_limit_exceeded');

  const handle: Handler<AppEnvironment> = async (context, next) => {
    const { req } = context;
    if (takesRest && !endpointMethods(hono, req.path).includes(method)) return context.notFound();
    for (const other of excluded) refuseClientOf(other, context);
    if (!isOwner(app, context)) {
      await next();
      return undefined;
    }
    context.set('api', api);
    const principal = authorize(context.get('principal'), route.permission);
    if (principal instanceof HearthError) throw principal;
    checkContent(req, { ...content, allowsUndeclared: api.takesUndeclaredJson });
    const validated = {
      params: route.params && validate(route.params, req.param()),
      query: route.query && validate(route.query, req.query()),
      headers: route.headers && validate(route.headers, filledHeaders(req.header())),
      body:
        route.body && validate(route.body, await readJsonBody(req.raw, limitBytes, app.parseJson)),
    };
    const record = context.get('record');
    record.begin(route.path, toRecordedCaller(principal));
    if (record.keepsPrompts && route.hasSecrets !== true)
      record.body = elideLongTexts(validated.body);
    const admit = async () => {
      if (principal.rateLimits === undefined) return;
      await app.rateGate?.pass(principal, record, (decision) => context.set('rate', decision));
    };
    if (isRateLimited && principal.rateLimits !== undefined) await admit();
    const opened = route.upload && openUpload(req.raw);
    const request = {
      ...validated,
      admit,
      upload: opened?.upload,
      context: {
        requestId: context.get('requestId'),
        logger: context.get('logger'),
        caller: toCaller(principal, context.env.remoteAddress, {
          isLast: context.env.batchCaller !== undefined,
          isLinked: context.env.isLinked === true,
        }),
        record,
        signal: mayRunLong ? followCaller(app, context) : context.get('signal'),
      },
    } as RouteRequest<Declared>;
    const result = await handler(request).catch(async (error: unknown) => {
      await opened?.drain();
      throw error;
    });
    return result instanceof Response ? result : jsonResponse(context, result);
  };
  endpoints.set(handle, { api, route });
  hono.on(method, toRoutingPath(route.path), handle);
}

/** `/models/{model...}` becomes `/models/:model{.+}`. */
function toRoutingPath(path: string): string {
  return path.replaceAll(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, rest?: string) =>
    rest === undefined ? `:${name}` : `:${name}{.+}`,
  );
}

/** False if another API's endpoint also matches the request and the request comes from a client of that API. */
function isOwner({ api, endpoints }: App, context: Context<AppEnvironment>): boolean {
  const candidates: ApiDescription[] = [];
  for (const { handler } of matchedRoutes(context)) {
    const endpoint = endpoints.get(handler);
    if (endpoint !== undefined) candidates.push(endpoint.api);
  }
  return candidates.length === 1 || chooseByClient(candidates, context.req) === api;
}

/** @throws HearthError `not_found` for a client of an API that does not serve this path. */
function refuseClientOf(other: ApiDescription, context: Context<AppEnvironment>): void {
  const { req } = context;
  if (!isFromClient(other, req)) return;
  context.set('api', other);
  throw new HearthError(
    'not_found',
    `There is no endpoint ${shorten(req.path)} for clients of ${other.name}.`,
  );
}

/** The signal of a long request, which also aborts when its token is revoked or expires. */
function followCaller({ revocationChecker }: App, context: Context<AppEnvironment>): AbortSignal {
  const { running } = context.env;
  const identity = context.get('principal')?.identity;
  if (revocationChecker === undefined || running === undefined || identity === undefined) {
    return context.get('signal');
  }
  const { signal, dispose } = revocationChecker.follow(identity, running.signal);
  running.onEnd(dispose);
  return signal;
}

/** Clients send an empty `Last-Event-ID` if they have no id. */
function filledHeaders(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}
