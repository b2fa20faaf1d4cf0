import type { Context, Next } from 'hono';
import type * as z from 'zod';
import { HearthError } from '../contract/errors.ts';
import type { Route } from '../contract/route.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { AppEnvironment, HonoApp } from './app-environment.ts';
import { readJsonBody } from './body/json-body.ts';
import { elideLongTexts } from './body/elide-long-texts.ts';
import { openUpload, type UploadBody } from './body/upload-body.ts';
import { toCaller, toRecordedCaller } from './caller.ts';
import type { CallerWatch } from './caller-watch.ts';
import { endpointMethods } from './endpoint-methods.ts';
import { checkContentLength } from './guards/content.ts';
import { authorize } from './guards/principal.ts';
import { chooseByClient, hasPath, type SurfaceDescription } from './surface-description.ts';
import { validate } from './validation/validate.ts';

/** A mounted route and the surface that it belongs to. */
export interface Endpoint {
  readonly surface: SurfaceDescription;
  readonly route: Route;
  /** Matches the paths of its requests. */
  readonly pattern: RegExp;
}

/** The app as one surface sees it; `createApp` makes one for each surface. */
export interface App {
  readonly hono: HonoApp;
  readonly surface: SurfaceDescription;
  /** Endpoints of all surfaces, in the order in which they were mounted. */
  readonly endpoints: Endpoint[];
  /** Ends endless streams with the token of their caller; absent if tokens are not checked again. */
  readonly callerWatch?: CallerWatch | undefined;
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
 * `Response`, such as an event stream, is sent unchanged. The surface serializes the errors that the handler throws.
 */
export function mount<Declared extends Route>(
  app: App,
  route: Declared,
  handler: NoInfer<RouteHandler<Declared>>,
): void {
  const { hono, surface, endpoints } = app;
  if (!hasPath(surface, route.path)) {
    throw new TypeError(`${route.path} begins with none of the prefixes of ${surface.name}.`);
  }
  endpoints.push({ surface, route, pattern: toPattern(route.path) });
  const method = route.method.toUpperCase();
  const takesRest = route.path.includes('...}');
  hono.on(method, toRoutingPath(route.path), async (context, next) => {
    const { path } = context.req;
    if (takesRest && !endpointMethods(hono, path).includes(method)) return context.notFound();
    if (!isForSurface(app, context)) return passOn(next);
    context.set('surface', surface);
    const principal = authorize(context.get('principal'), route.permission);
    if (principal instanceof HearthError) throw principal;
    const validated = await validateRequest(route, context);
    const record = context.get('record');
    record.begin(route.path, toRecordedCaller(principal));
    if (record.keepsPrompts) record.body = elideLongTexts(validated.body);
    const requestContext: RequestContext = {
      requestId: context.get('requestId'),
      logger: context.get('logger'),
      caller: toCaller(principal, context.env.remoteAddress),
      record,
      signal: route.isStreamOnly === true ? followCaller(app, context) : context.get('signal'),
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

/** The signal of a stream, which also aborts when the token of the request is revoked. */
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

/** Whether the request sends the body of an endpoint that takes an upload. */
export function takesUpload(
  endpoints: readonly Endpoint[],
  { method, path }: { readonly method: string; readonly path: string },
): boolean {
  return endpoints.some(
    ({ route, pattern }) =>
      route.upload !== undefined && route.method === method.toLowerCase() && pattern.test(path),
  );
}

/** Lets the next endpoint with this path handle the request. */
async function passOn(next: Next): Promise<undefined> {
  await next();
  return undefined;
}

/** Whether this surface handles the request; other surfaces may have an endpoint for it too. */
function isForSurface({ surface, endpoints }: App, { req }: Context<AppEnvironment>): boolean {
  const method = req.method.toLowerCase();
  const candidates = new Set(
    endpoints
      .filter(({ route, pattern }) => route.method === method && pattern.test(req.path))
      .map((endpoint) => endpoint.surface),
  );
  return candidates.size <= 1 || chooseByClient([...candidates], req) === surface;
}

async function validateRequest(
  { params, query, headers, body, maxBodyBytes = Number.POSITIVE_INFINITY }: Route,
  context: Context<AppEnvironment>,
) {
  const { req } = context;
  const limitBytes = Math.min(context.get('bodyLimitBytes'), maxBodyBytes);
  const tooLarge = checkContentLength(req.header('content-length'), limitBytes);
  if (body !== undefined && tooLarge !== undefined) throw tooLarge;
  return {
    params: params === undefined ? undefined : validate(params, req.param()),
    query: query === undefined ? undefined : validate(query, req.query()),
    headers: headers === undefined ? undefined : validate(headers, req.header()),
    body: body === undefined ? undefined : validate(body, await readJsonBody(req.raw, limitBytes)),
  };
}
