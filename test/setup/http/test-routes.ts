import * as z from 'zod';
import { modelIdentifierSchema } from '../../../src/kernel/field.ts';
import type { Permission } from '../../../src/kernel/permission.ts';
import { defineRoute } from '../../../src/api/kit/route.ts';

/** Endpoints for tests of HTTP itself. */

export const echoBody = defineRoute('POST /api/v1/echo', {
  operationId: 'echo',
  summary: 'Gives the body back',
  permission: 'chat',
  body: z.strictObject({ text: z.string(), count: z.int().default(1) }),
  result: z.object({ text: z.string(), count: z.int() }),
});

export const echoParams = defineRoute('GET /api/v0/things/{thing...}', {
  operationId: 'getThing',
  summary: 'Gives the parameter back',
  permission: 'models:read',
  params: z.object({ thing: modelIdentifierSchema }),
  query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
  result: z.object({ thing: z.string(), limit: z.int() }),
});

/** An endpoint that needs this permission and takes no input. */
export function guarded(permission: Permission | null) {
  return defineRoute(`GET /api/v1/needs/${permission ?? 'nothing'}`, {
    operationId: `needs${permission}`,
    summary: 'Answers who may',
    permission,
    result: z.object({ tokenId: z.string().nullable() }),
  });
}

export const openStream = defineRoute('POST /api/v1/stream', {
  operationId: 'stream',
  summary: 'Streams',
  permission: 'chat',
  result: z.object({ done: z.boolean() }),
});

export const wait = defineRoute('GET /api/v1/wait', {
  operationId: 'wait',
  summary: 'Answers late',
  permission: 'chat',
  result: z.object({ done: z.boolean() }),
});
