import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../kernel/errors/errors.ts';
import { createErrorSerializer, toSnakeCase } from '../kit/errors/error-serializer.ts';
import { mount, type ApiRoutes } from '../kit/mount.ts';
import type { ApiServices } from '../services.ts';
import { mcpErrorSchema, sendMcpMessage } from './mcp-schema.ts';
import { RunningCalls } from './running-calls.ts';

/** Error codes of JSON-RPC 2.0, section 5.1. All other errors get a code from the range for servers. */
const rpcCodes: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32_700,
  invalid_type: -32_600,
  invalid_value: -32_600,
  missing_required_parameter: -32_600,
  internal: -32_603,
};
const otherFailure = -32_000;

const mcpErrors = createErrorSerializer({
  schema: mcpErrorSchema,
  nameField: toSnakeCase,
  toBody: ({ type, code, message }) => ({
    jsonrpc: '2.0' as const,
    id: null,
    error: { code: rpcCodes[code] ?? otherFailure, message, data: { type, code } },
  }),
});

/** `/mcp`: offers the server as tools to clients of the Model Context Protocol. */
export function createMcpApi(services: ApiServices): ApiRoutes {
  const runningCalls = new RunningCalls();
  return {
    name: 'mcp',
    description: 'Tools for clients of the Model Context Protocol (Streamable HTTP).',
    errorSerializer: mcpErrors,
    mountRoutes: (app) => {
      mount(app, sendMcpMessage, async ({ headers, body, context, admit }) => {
        const { caller } = context;
        const sessionId = headers['mcp-session-id'];
        if (body.method === 'notifications/cancelled') {
          runningCalls.cancel({ caller, sessionId, id: body.params?.['requestId'] });
        }
        const sent = new Headers({
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        });
        for (const [name, value] of Object.entries(headers)) {
          if (value !== undefined) sent.set(name, value);
        }
        // Loaded with the first message: few servers receive any.
        const { answerMessage } = await import('./create-server.ts');
        const exchange = { services, context, runningCalls, sessionId, admit };
        const response = await answerMessage(body, sent, exchange);
        response.headers.set('X-Accel-Buffering', 'no');
        if (body.method === 'initialize') response.headers.set('Mcp-Session-Id', randomUUID());
        return response;
      });
    },
  };
}
