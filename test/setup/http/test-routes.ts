import * as z from 'zod';
import { modelIdentifierSchema } from '../../../src/kernel/field.ts';
import type { Permission } from '../../../src/kernel/permission.ts';
import { defineRoute } from '../../../src/api/kit/route.ts';

/** Endpoints for tests of HTTP itself. */

export const echoBody = defineRoute({
  method: 'post',
  path: '/api/v1/echo',
  operationId: 'echo',
  summary: 'Gives the body back',
  permission: 'chat',
  body: z.strictObject({ text: z.string(), count: z.int().default(1) }),
  result: z.object({ text: z.string(), count: z.int() }),
  errors: [],
});

export const echoParams = defineRoute({
  method: 'get',
  path: '/api/v0/things/{thing...}',
  operationId: 'getThing',
  summary: 'Gives the parameter back',
  permission: 'models:read',
  params: z.object({ thing: modelIdentifierSchema }),
  query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
  result: z.object({ thing: z.string(), limit: z.int() }),
  errors: [],
});

/** An endpoint that needs this permission and takes no input. */
export function guarded(permission: Permission | null) {
  return defineRoute({
    method: 'get',
    path: `/api/v1/needs/${permission ?? 'nothing'}`,
    operationId: `needs${permission}`,
    summary: 'Answers who may',
    permission,
    result: z.object({ tokenId: z.string().nullable() }),
    errors: [],
  });
}

export const openStream = defineRoute({
  method: 'post',
  path: '/api/v1/stream',
  operationId: 'stream',
  summary: 'Streams',
  permission: 'chat',
  result: z.object({ done: z.boolean() }),
  errors: [],
});

export const wait = defineRoute({
  method: 'get',
  path: '/api/v1/wait',
  operationId: 'wait',
  summary: 'Answers late',
  permission: 'chat',
  result: z.object({ done: z.boolean() }),
  errors: [],
});
