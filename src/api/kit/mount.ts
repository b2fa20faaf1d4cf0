import type { Context, Next } from 'hono';
import type * as z from 'zod';
import { lastInTurn } from '../../kernel/concurrency/fair-queue.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Route } from './route.ts';
import type { Caller, RequestContext } from '../../telemetry/request-context.ts';
import type { AppEnvironment, HonoApp } from './app-environment.ts';
import { readJsonBody, type ParseJson } from './body/json-body.ts';
import { elideLongTexts } from './body/elide-long-texts.ts';
import { openUpload, type UploadBody } from './body/upload-body.ts';
import { toCaller, toRecordedCaller, authorize, type Principal } from './guards/principal.ts';
import type { CallerWatch } from './guards/caller-watch.ts';
import { endpointMethods } from './not-found.ts';
import { checkContentLength, checkContentType } from './guards/content.ts';
import type { RateGate } from './guards/rate-gate.ts';
import { chooseByClient, hasPath, unservedBy, type ApiDescription } from './api.ts';
import { shorten } from './validation/shown-value.ts';
import { validate } from './validation/validation-error.ts';

/** A mounted route and the API that it belongs to. */
export interface Endpoint {
  readonly api: ApiDescription;
  readonly route: Route;
  /** Matches the paths of its requests. */
  readonly pattern: RegExp;
}

/** The app as one API sees it; `createApp` makes one for each API. */
export interface App {
  readonly hono: HonoApp;
  readonly api: ApiDescription;
  /** Endpoints of all APIs, in the order in which they were mounted. */
  readonly endpoints: Endpoint[];
  /** All APIs. */
  readonly apis: readonly ApiDescription[];
  readonly parseJson: ParseJson;
  /** Ends answers with the token of their caller; absent if tokens are not checked again. */
  readonly callerWatch?: CallerWatch | undefined;
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
}

type RouteHandler<Declared extends Route> = (
  request: RouteRequest<Declared>,
) => Promise<z.output<Declared['result']> | Response>;

/**
 * Serves a route: checks the permission, validates the request and sends what the handler returns as JSON. A
 * `Response`, such as an event stream, is sent unchanged. The API serializes the errors that the handler throws.
 */
export function mount<Declared extends Route>(
  app: App,
  route: Declared,
  handler: NoInfer<RouteHandler<Declared>>,
): void {
  const { hono, api, endpoints } = app;
  if (!hasPath(api, route.path)) {
    throw new TypeError(`${route.path} begins with none of the prefixes of ${api.name}.`);
  }
  endpoints.push({ api, route, pattern: toPattern(route.path) });
  const method = route.method.toUpperCase();
  const takesRest = route.path.includes('...}');
  let rivals: readonly Endpoint[] | undefined;
  hono.on(method, toRoutingPath(route.path), async (context, next) => {
    const { path } = context.req;
    if (takesRest && !endpointMethods(hono, path).includes(method)) return context.notFound();
    refuseUnserved(app, context);
    rivals ??= rivalsOf(app, route);
    if (!isForApi(app, rivals, context)) return passOn(next);
    context.set('api', api);
    const principal = authorize(context.get('principal'), route.permission);
    if (principal instanceof HearthError) throw principal;
    refuseContent(app, route, context);
    const validated = await validateRequest(route, context, app.parseJson);
    const record = context.get('record');
    record.begin(route.path, toRecordedCaller(principal));
    if (record.keepsPrompts) record.body = elideLongTexts(validated.body);
    if (route.errors.includes('rate_limit_exceeded')) {
      await app.rateGate?.pass(principal, record, (decision) => context.set('rate', decision));
    }
    const requestContext: RequestContext = {
      requestId: context.get('requestId'),
      logger: context.get('logger'),
      caller: callerOf(principal, context),
      record,
      signal: canStream(route) ? followCaller(app, context) : context.get('signal'),
    };
    const opened = route.upload === undefined ? undefined : openUpload(context.req.raw);
    const request = {
      ...validated,
      upload: opened?.upload,
      context: requestContext,
    } as RouteRequest<Declared>;
    const result = await handler(request).catch(async (error: unknown) => {
      await opened?.drain();
      throw error;
    });
    return result instanceof Response ? result : Response.json(result);
  });
}

function callerOf(principal: Principal, { env }: Context<AppEnvironment>): Caller {
  const caller = toCaller(principal, env.remoteAddress);
  if (env.batchCaller === undefined) return caller;
  return { ...caller, clientKey: lastInTurn(caller.clientKey) };
}

/** Requests of such a route may run for long, whether they stream or not. */
function canStream({ events, lines }: Route): boolean {
  return events !== undefined || lines !== undefined;
}

/** The signal of a long request, which also aborts when its token is revoked or expires. */
function followCaller({ callerWatch }: App, context: Context<AppEnvironment>): AbortSignal {
  const { running } = context.env;
  const identity = context.get('principal')?.identity;
  if (callerWatch === undefined || running === undefined || identity === undefined) {
    return context.get('signal');
  }
  const { signal, dispose } = callerWatch.follow(identity, running.signal);
  running.onEnd(dispose);
  return signal;
}

/** `/models/{model...}` becomes `/models/:model{.+}`. */
function toRoutingPath(path: string): string {
  return path.replaceAll(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, rest?: string) =>
    rest === undefined ? `:${name}` : `:${name}{.+}`,
  );
}

/** `/models/{model...}` becomes `^/models/.+$`. */
function toPattern(path: string): RegExp {
  const source = path
    .split(/(\{\w+(?:\.\.\.)?\})/)
    .map((part) => {
      if (!part.startsWith('{')) return part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
      return part.endsWith('...}') ? '.+' : '[^/]+';
    })
    .join('');
  return new RegExp(`^${source}$`);
}

/** Lets the next endpoint with this path handle the request. */
async function passOn(next: Next): Promise<undefined> {
  await next();
  return undefined;
}

/** The endpoints of other APIs that may have requests of a route too. */
function rivalsOf({ api, endpoints }: App, { method, path }: Route): readonly Endpoint[] {
  return endpoints.filter(
    (other) =>
      other.api !== api && other.route.method === method && mayOverlap(other.route.path, path),
  );
}

/** Whether a path may match both. */
function mayOverlap(one: string, other: string): boolean {
  const [segments, others] = [one.split('/'), other.split('/')];
  for (const [index, segment] of segments.entries()) {
    const opposite = others[index];
    if (opposite === undefined) return false;
    if (segment.endsWith('...}') || opposite.endsWith('...}')) return true;
    if (segment !== opposite && !segment.includes('{') && !opposite.includes('{')) return false;
  }
  return segments.length === others.length;
}

/** Whether this API handles the request; other APIs may have an endpoint for it too. */
function isForApi(
  { api, apis }: App,
  rivals: readonly Endpoint[],
  { req }: Context<AppEnvironment>,
): boolean {
  const matching = rivals.filter(({ pattern }) => pattern.test(req.path));
  if (matching.length === 0) return true;
  const candidates = new Set([api, ...matching.map((endpoint) => endpoint.api)]);
  return (
    chooseByClient(
      apis.filter((each) => candidates.has(each)),
      req,
    ) === api
  );
}

/** @throws HearthError `not_found` for a client of another API, which does not serve this path. */
function refuseUnserved({ api, apis }: App, context: Context<AppEnvironment>): void {
  const { req } = context;
  const client = unservedBy(apis, req);
  if (client === undefined || client === api) return;
  context.set('api', client);
  throw new HearthError(
    'not_found',
    `There is no endpoint ${shorten(req.path)} for clients of ${client.name}.`,
  );
}

/** @throws HearthError for a body of another type than the route takes, or one that is too large. */
function refuseContent(
  { api }: App,
  { upload, maxBodyBytes = Number.POSITIVE_INFINITY }: Route,
  context: Context<AppEnvironment>,
): void {
  const { req } = context;
  // The requests of a batch have no headers.
  if (context.env.batchCaller !== undefined) return;
  const contentLength = req.header('content-length');
  const wrongType = checkContentType({
    uploadType: upload?.contentType,
    method: req.method,
    contentType: req.header('content-type'),
    contentLength,
    transferEncoding: req.header('transfer-encoding'),
    allowsUndeclared: api.takesUndeclaredJson === true && !isFromPage(req),
  });
  if (wrongType !== undefined) throw wrongType;
  // An upload has its own limit.
  if (upload !== undefined) return;
  const limitBytes = Math.min(context.get('bodyLimitBytes'), maxBodyBytes);
  const tooLarge = checkContentLength(contentLength, limitBytes);
  if (tooLarge !== undefined) throw tooLarge;
}

/** True if a browser sent the request for a page. */
function isFromPage(req: { header(name: string): string | undefined }): boolean {
  return ['origin', 'referer', 'sec-fetch-site'].some((name) => req.header(name) !== undefined);
}

async function validateRequest(
  { params, query, headers, body, maxBodyBytes = Number.POSITIVE_INFINITY }: Route,
  context: Context<AppEnvironment>,
  parseJson: ParseJson,
) {
  const { req } = context;
  const limitBytes = Math.min(context.get('bodyLimitBytes'), maxBodyBytes);
  return {
    params: params === undefined ? undefined : validate(params, req.param()),
    query: query === undefined ? undefined : validate(query, req.query()),
    headers: headers === undefined ? undefined : validate(headers, req.header()),
    body:
      body === undefined
        ? undefined
        : validate(body, await readJsonBody(req.raw, limitBytes, parseJson)),
  };
}
