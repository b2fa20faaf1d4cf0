import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import { linkAbort } from '../../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { type RequestContext, withSignal } from '../../kernel/request/request-context.ts';
import { nameV1Field } from '../v1/errors.ts';
import type { ApiServices } from '../services.ts';
import type { McpMessage } from './mcp-schema.ts';
import { Progress } from './progress.ts';
import type { RunningCalls } from './running-calls.ts';
import type { McpTool } from './tool.ts';
import { chatTool } from './tools/chat-tool.ts';
import {
  formatSpeechScriptTool,
  listModelsTool,
  searchConversationsTool,
} from './tools/library-tools.ts';
import { embedTool, rankTool } from './tools/vector-tools.ts';

const tools: readonly McpTool[] = [
  listModelsTool,
  chatTool,
  embedTool,
  rankTool,
  searchConversationsTool,
  formatSpeechScriptTool,
];

/** A message with the context of its request. */
export interface McpExchange {
  readonly services: ApiServices;
  readonly context: RequestContext;
  readonly runningCalls: RunningCalls;
  readonly sessionId: string | undefined;
  /** Counts a call against the token's limits. @throws HearthError `rate_limit_exceeded`. */
  readonly admit: () => Promise<void>;
}

/** Answers one message with a new MCP server, since no state is kept between requests. */
export async function answerMessage(
  message: McpMessage,
  headers: Headers,
  exchange: McpExchange,
): Promise<Response> {
  const { logger } = exchange.context;
  const handler = createMcpHandler(() => createServer(exchange), {
    responseMode: 'sse',
    // The list of tools depends only on the token, so there are no changes to subscribe to.
    maxSubscriptions: 0,
    onerror: (error) => logger.debug({ err: error }, 'MCP message refused'),
  });
  const request = new Request('http://localhost/mcp', { method: 'POST', headers });
  return handler.fetch(request, { parsedBody: message });
}

function createServer(exchange: McpExchange): Server {
  const { services, context } = exchange;
  const server = new Server(
    { name: 'hearth', title: 'Hearth', version: services.server.version },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: tools
      .filter(({ permission }) => context.caller.hasPermission(permission))
      .map((tool) => tool.describe()),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) {
      const names = tools.map(({ name }) => name).join(', ');
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(params.name.slice(0, 64))}. The tools are: ${names}.`,
      );
    }
    const token = mcpReq._meta?.progressToken;
    const progress = new Progress((step, state) => {
      if (token === undefined) return;
      const notification = { progressToken: token, progress: step, message: state };
      mcpReq
        .notify({ method: 'notifications/progress', params: notification })
        .catch((err: unknown) => context.logger.debug({ err }, 'progress not sent'));
    });
    const name = { caller: context.caller, sessionId: exchange.sessionId, id: mcpReq.id };
    const call = linkAbort(context.signal, mcpReq.signal);
    exchange.runningCalls.add(name, call);
    try {
      return await runTool(tool, params.arguments ?? {}, exchange, {
        services,
        context: withSignal(context, call.signal),
        report: progress.report,
      });
    } finally {
      progress.close();
      exchange.runningCalls.remove(name, call);
      call.dispose();
    }
  });
  return server;
}

/** Runs a tool. If it fails, the result contains the error for the model. */
async function runTool(
  tool: McpTool,
  args: unknown,
  { admit }: Pick<McpExchange, 'admit'>,
  call: Parameters<McpTool['call']>[1],
): Promise<CallToolResult> {
  const { caller, record, logger, requestId, signal } = call.context;
  try {
    if (!caller.hasPermission(tool.permission)) {
      throw new HearthError(
        'forbidden',
        `The tool ${tool.name} needs a token with the permission "${tool.permission}".`,
      );
    }
    await admit();
    const result = await tool.call(args, call);
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    if (error instanceof HearthError) {
      record.fail(error);
      return toFailure(`${error.describe(nameV1Field)} (${error.code})`);
    }
    if (signal.aborted) throw error;
    logger.error({ err: error }, 'MCP tool failed');
    record.fail({ code: 'internal', message: String(error) });
    return toFailure(
      `Something went wrong in the server; its log says more under the request id ${requestId}. (internal)`,
    );
  }
}

function toFailure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
