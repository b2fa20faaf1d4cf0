import * as z from 'zod';
import { defineRoute } from '../kit/route.ts';
import * as named from '../kit/named.ts';

const mcpIdSchema = z.union([z.string().max(512), z.int()]);

/** JSON-RPC 2.0, as the Model Context Protocol uses it. The protocol defines the fields of `params` and `result`. */
export const mcpMessageSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: mcpIdSchema.nullish(),
    method: z.string().min(1).max(256).optional().describe('Absent in a response.'),
    params: z.record(z.string(), z.unknown()).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: named.looseObject('McpErrorDetail', { code: z.int(), message: z.string() }).optional(),
  })
  .meta({
    id: 'McpMessage',
    description:
      'A message of the Model Context Protocol: a request, a response or a notification.',
    examples: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'chat',
          arguments: { model: 'hearth/starter-chat', input: 'What is the capital of France?' },
        },
      },
    ],
  });
export type McpMessage = z.infer<typeof mcpMessageSchema>;

export const mcpErrorSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: mcpIdSchema.nullable(),
    error: named.object('McpRefusalDetail', {
      code: z.int(),
      message: z.string(),
      data: named
        .looseObject('McpErrorData', {
          type: z.string().optional(),
          code: z.string().optional().describe('Code of the error reference.'),
        })
        .optional()
        .describe('Absent for an error of the protocol, or with facts of the protocol.'),
    }),
  })
  .meta({ id: 'McpRefusal', description: 'The answer to a request that reached no tool.' });

const header = z.string().max(512).optional();

export const sendMcpMessage = defineRoute('POST /mcp', {
  operationId: 'sendMcpMessage',
  summary: 'Send a message of the Model Context Protocol',
  description:
    'The Streamable HTTP transport, without sessions: each request is complete in itself. Answers are server-sent events or JSON; a notification is answered with 202. The tools need the permissions of the matching routes, and those that the token may not use are not listed. A failure of a tool is its result, with `isError`.',
  permission: ['chat', 'embeddings', 'models:read'],
  headers: z.object({
    'mcp-protocol-version': header,
    'mcp-session-id': header.describe('Only finds the call that a notification cancels.'),
    'mcp-method': header,
    'mcp-name': header,
  }),
  body: mcpMessageSchema,
  maxBodyBytes: 4 * 1024 * 1024,
  result: mcpMessageSchema,
  events: mcpMessageSchema,
});
