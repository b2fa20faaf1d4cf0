import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HearthError } from '../contract/errors.ts';
import type { Permission } from '../contract/permission.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { App, AppEnvironment } from './app-environment.ts';
import { toCaller } from './caller.ts';
import { endpointMethods } from './endpoint-methods.ts';
import { authorize, type Principal } from './guards/principal.ts';
import { readJsonBody } from './json-body.ts';
import { validate } from './validate.ts';

export type { App } from './app-environment.ts';

type RequestSchemas = NonNullable<RouteConfig['request']>;

/** What `defineRoute` gives. */
interface DeclaredRoute<Request extends RequestSchemas, Result extends z.ZodType> {
  readonly route: RouteConfig & { readonly request: Request };
  readonly permission: Permission | null;
  readonly result: Result;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type BodySchema<Request> = Request extends {
  readonly body: {
    readonly content: { readonly 'application/json': { readonly schema: infer Schema } };
  };
}
  ? Schema
  : undefined;

/** A request as a handler gets it: checked against the declaration. */
export interface RouteRequest<Request> {
  readonly params: Parsed<Request extends { readonly params: infer Schema } ? Schema : undefined>;
  readonly query: Parsed<Request extends { readonly query: infer Schema } ? Schema : undefined>;
  readonly body: Parsed<BodySchema<Request>>;
  readonly context: RequestContext;
  /** @deprecated Use `context.signal`. */
  readonly signal: AbortSignal;
  /** @deprecated Use `context.caller`. */
  readonly principal: Principal;
  /** @deprecated Use `context.caller.clientKey`. */
  readonly caller: string;
}

type RouteHandler<Request, Result> = (
  request: RouteRequest<Request>,
) => Promise<z.output<Result> | Response>;

/**
 * Serves a declared endpoint: checks permission and request, and sends what the handler returns as JSON.
 * A `Response`, such as an event stream, goes out as it is; what the handler throws becomes an error body.
 */
export function mount<Request extends RequestSchemas, Result extends z.ZodType>(
  app: App,
  declared: DeclaredRoute<Request, Result>,
  handler: NoInfer<RouteHandler<Request, Result>>,
): void {
  const { route, permission } = declared;
  app.openAPIRegistry.registerPath({ ...route, path: route.path.replace('{.+}', '') });
  const takesSlashes = route.path.includes('{.+}');
  const routingPath = route.path.replaceAll(/\/\{(.+?)\}/g, '/:$1');
  const method = route.method.toUpperCase();
  app.on(method, routingPath, async (context) => {
    const { path } = context.req;
    if (takesSlashes && !endpointMethods(app, path).includes(method)) return context.notFound();
    const principal = authorize(context.get('principal'), permission);
    if (principal instanceof HearthError) throw principal;
    const checked = await parseRequest(route.request, context);
    const requestContext: RequestContext = {
      requestId: context.get('requestId'),
      logger: context.get('logger'),
      caller: toCaller(principal, context.env.remoteAddress),
      signal: context.get('signal'),
    };
    const result = await handler({
      ...checked,
      context: requestContext,
      signal: requestContext.signal,
      principal,
      caller: requestContext.caller.clientKey,
    } as RouteRequest<Request>);
    return result instanceof Response ? result : Response.json(result);
  });
}

async function parseRequest(schemas: RequestSchemas, context: Context<AppEnvironment>) {
  const { params, query, body } = schemas;
  const media = body?.content['application/json'];
  const bodySchema = media !== undefined && 'schema' in media ? media.schema : undefined;
  return {
    params: params === undefined ? undefined : validate(params as z.ZodType, context.req.param()),
    query: query === undefined ? undefined : validate(query as z.ZodType, context.req.query()),
    body:
      bodySchema === undefined
        ? undefined
        : validate(
            bodySchema as z.ZodType,
            await readJsonBody(context.req.raw, context.get('bodyLimitBytes')),
          ),
  };
}
