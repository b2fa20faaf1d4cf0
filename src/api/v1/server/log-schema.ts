import * as z from 'zod';
import { isoTimeSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';

const logLineSchema = z
  .looseObject({ level: z.string(), time: isoTimeSchema, msg: z.string().optional() })
  .meta({
    id: 'LogLine',
    description:
      'A line of the log. `requestId` is the `X-Request-Id` of the request that it belongs to.',
    examples: [
      {
        level: 'info',
        time: '2026-11-02T09:30:00.000Z',
        requestId: '0d9c1a52-6a0e-4b1a-8f6e-2f8f2f1f3f7c',
        method: 'POST',
        path: '/api/v1/chat',
        status: 200,
        durationMs: 1840.2,
        msg: 'request',
      },
    ],
  });

export const streamLog = defineRoute('GET /api/v1/logs', {
  operationId: 'streamLog',
  summary: 'Get the latest lines of the log as server-sent events, then new ones',
  permission: 'admin',
  query: z.object({
    lines: z.coerce
      .number()
      .int()
      .min(0)
      .max(10_000)
      .optional()
      .describe('Most lines to begin with, 100 if absent. The server keeps about 1 MB of them.'),
    follow: z.stringbool().optional().describe('Whether to continue with new lines.'),
  }),
  isStreamOnly: true,
  result: logLineSchema,
  events: logLineSchema,
});
