import { createRoute, z, type RouteConfig } from '@hono/zod-openapi';
import type { ZodType } from 'zod';
import { errorBodySchema, openAiErrorBodySchema } from './error-body.ts';
import { errorTable, type ErrorCode } from './errors.ts';
import type { Permission } from './permission.ts';

type RouteRequest = NonNullable<RouteConfig['request']>;

interface RouteDeclaration<
  Path extends string,
  Method extends RouteConfig['method'],
  Request extends RouteRequest,
  Result extends ZodType,
  Events extends ZodType,
> {
  readonly method: Method;
  /** `{name}` for a parameter; `{name}{.+}` for one that may hold slashes. */
  readonly path: Path;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: 'v0' | 'v1' | 'server';
  /** What a token must allow; null for endpoints that never ask for one. */
  readonly permission: Permission | null;
  readonly request?: Request;
  readonly result: Result;
  /** The server-sent events, where the endpoint can stream. */
  readonly events?: Events;
  /** Beside those that the guards answer with. */
  readonly errors: readonly ErrorCode[];
}

/** Errors that any endpoint with a token, and any endpoint with a body, may answer with. */
const guardErrors = ['invalid_api_key', 'forbidden', 'internal'] as const satisfies ErrorCode[];
const bodyErrors = [
  'invalid_json',
  'missing_required_parameter',
  'invalid_type',
  'invalid_value',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies ErrorCode[];

/** Declares an endpoint once; validation, permission check, OpenAPI document and client read it. */
export function defineRoute<
  const Path extends string,
  const Method extends RouteConfig['method'],
  Result extends ZodType,
  const Request extends RouteRequest = { readonly cookies?: never },
  Events extends ZodType = never,
>(declaration: RouteDeclaration<Path, Method, Request, Result, Events>) {
  const { method, path, operationId, summary, description, tag, permission, result, events } =
    declaration;
  const request = declaration.request ?? ({} as Request);
  const codes = new Set<ErrorCode>([
    ...declaration.errors,
    ...guardErrors,
    ...(request.body === undefined ? [] : bodyErrors),
  ]);
  const success = {
    description: 'OK',
    content: {
      'application/json': { schema: result },
      ...(events === undefined ? {} : { 'text/event-stream': { schema: events } }),
    } as { 'application/json': { schema: Result } },
  };
  const route = createRoute({
    method,
    path,
    operationId,
    summary,
    tags: [tag],
    ...(description === undefined ? {} : { description }),
    ...(permission === null ? {} : { security: [{ token: [] }] }),
    request,
    responses: { ...errorResponses(codes, tag === 'v0'), 200: success },
  });
  return { route, permission, result, events };
}

/** One response for each status, its description listing the codes. */
function errorResponses(codes: ReadonlySet<ErrorCode>, isOpenAi: boolean) {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const schema = isOpenAi ? openAiErrorBodySchema : errorBodySchema;
  return Object.fromEntries(
    [...byStatus].map(([status, statusCodes]) => [
      status,
      {
        description: statusCodes.map((code) => `\`${code}\`: ${errorTable[code].when}`).join(' '),
        content: { 'application/json': { schema } },
      },
    ]),
  );
}

/** A JSON request body. */
export function jsonBody<Schema extends ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } } as const;
}

export { z };
