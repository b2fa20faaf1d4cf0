import * as z from 'zod';
import { defineRoute } from '../kit/route.ts';
import * as named from '../kit/named.ts';

const exampleHealth = { status: 'ok', home_id: '6f1c1d0e-2f0b-4a59-9d7e-0b1f3a5c7d9e' };

export const getHealth = defineRoute('GET /health', {
  operationId: 'getHealth',
  summary: 'Check that the server is alive',
  description: 'Succeeds while the server drains, too; `GET /ready` does not.',
  permission: null,
  result: named.object('Health', [exampleHealth], {
    status: z.literal('ok'),
    home_id: z
      .string()
      .optional()
      .describe('Random id of the home folder. Commands compare it with the id of their own.'),
  }),
});

export const getReadiness = defineRoute('GET /ready', {
  operationId: 'getReadiness',
  summary: 'Check that the server accepts requests',
  description: 'The server is ready if its store responds and has room, and it is not stopping.',
  permission: null,
  result: named.object('Readiness', [{ status: 'ready' }], { status: z.literal('ready') }),
  errors: ['internal', 'shutting_down', 'store_unavailable'],
});
