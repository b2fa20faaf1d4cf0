import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

/** Replaces a secret in responses. If a client sends it back, the secret stays unchanged. */
const redacted = '[redacted]';

const exampleServer = {
  label: 'files',
  id: 'mcp/files',
  type: 'process',
  command: 'npx',
  args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ada/notes'],
  env: { KEY: redacted },
};

const timeoutSeconds = z
  .int()
  .min(1)
  .max(3600)
  .describe('Time limit of a tool call (`timeoutSeconds` in mcp.json); 60 seconds if absent.');

const serverSchema = named.object('McpServer', [exampleServer], {
  label: z.string(),
  id: z.string().describe('Name in `integrations`: `mcp/` and the label.'),
  type: z
    .enum(['process', 'http', 'faulty', 'built_in'])
    .describe('`faulty`: the entry of mcp.json cannot be used; `built_in`: part of Hearth.'),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional().describe('Values are redacted.'),
  cwd: z.string().optional(),
  url: z.string().optional().describe('Its password and the values of its query are redacted.'),
  headers: z.record(z.string(), z.string()).optional().describe('Values are redacted.'),
  timeout_seconds: timeoutSeconds.optional(),
  fault: z.string().optional().describe('Why a faulty entry cannot be used.'),
});
export type McpServerRecord = z.infer<typeof serverSchema>;

const params = z.object({
  label: withExample(z.string().min(1).max(64), 'files'),
});

const exampleMcpServerList = { servers: [exampleServer], plugins_allowed: true };

export const listMcpServers = defineRoute('GET /api/v1/mcp/servers', {
  operationId: 'listMcpServers',
  summary: 'List the MCP servers of mcp.json and the built-in ones',
  permission: 'admin',
  result: named.object('McpServerList', [exampleMcpServerList], {
    servers: z.array(serverSchema),
    plugins_allowed: z.boolean().describe('Whether requests may use them (`mcp.allowPlugins`).'),
  }),
  errors: ['conflict'],
});

export const getMcpServer = defineRoute('GET /api/v1/mcp/servers/{label}', {
  operationId: 'getMcpServer',
  summary: 'Get an MCP server',
  permission: 'admin',
  params,
  result: serverSchema,
  errors: ['mcp_server_not_found', 'conflict'],
});

const textSchema = z.string().max(32_768);
const exampleMcpServerRequest = {
  command: 'npx',
  args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ada/notes'],
  env: { KEY: redacted },
};

const serverRequestSchema = named.strictObject('McpServerRequest', [exampleMcpServerRequest], {
  command: textSchema.min(1).optional().describe('Program; either this or `url`.'),
  args: z.array(textSchema).max(1000).optional(),
  env: z.record(z.string().max(512), textSchema).optional(),
  cwd: textSchema.min(1).optional(),
  url: textSchema.min(1).optional().describe('MCP server over HTTP; either this or `command`.'),
  headers: z.record(z.string().max(512), textSchema).optional(),
  timeout_seconds: timeoutSeconds.optional(),
});

export const putMcpServer = defineRoute('PUT /api/v1/mcp/servers/{label}', {
  operationId: 'putMcpServer',
  hasSecrets: true,
  summary: 'Add an MCP server, or replace it',
  description: `Writes mcp.json and keeps its other content. A value of \`env\` or \`headers\`, or a URL, that is sent redacted (\`${redacted}\`) stays unchanged. The server runs the command with its own rights when a request uses the plugin.`,
  permission: 'admin',
  params,
  body: serverRequestSchema,
  result: serverSchema,
  errors: ['unrecognized_keys', 'conflict'],
});

export const deleteMcpServer = defineRoute('DELETE /api/v1/mcp/servers/{label}', {
  operationId: 'deleteMcpServer',
  summary: 'Remove an MCP server',
  permission: 'admin',
  params,
  result: z
    .object({ label: z.string(), removed: z.literal(true) })
    .meta({ id: 'RemovedMcpServer', examples: [{ label: 'files', removed: true }] }),
  errors: ['mcp_server_not_found', 'conflict'],
});

const exampleTool = {
  name: 'read_text_file',
  description: 'Read a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export const testMcpServer = defineRoute('POST /api/v1/mcp/servers/{label}/test', {
  operationId: 'testMcpServer',
  summary: 'Connect to an MCP server and list its tools',
  description:
    'Starts its process, or connects to its URL, within 30 seconds, or `timeout_seconds` if that is less.',
  permission: 'admin',
  params,
  result: named.object('McpServerTest', [{ label: 'files', tools: [exampleTool] }], {
    label: z.string(),
    tools: z.array(
      named.object('McpTool', {
        name: z.string(),
        description: z.string().nullable(),
        parameters: z.record(z.string(), z.unknown()).describe('JSON schema of the arguments.'),
      }),
    ),
  }),
  errors: ['mcp_server_not_found', 'plugin_unreachable', 'queue_full', 'shutting_down'],
});

const exampleMcpToolResult = {
  content: [{ type: 'text', text: 'Milk, eggs and bread.' }],
  is_error: false,
  duration_ms: 12.5,
};

export const callMcpTool = defineRoute('POST /api/v1/mcp/servers/{label}/tools/{tool}', {
  operationId: 'callMcpTool',
  summary: 'Call a tool of an MCP server',
  description:
    'Tries a tool without a model. The call ends after 60 seconds, or `timeout_seconds`. If the tool fails or takes too long, the result has `is_error`.',
  permission: 'admin',
  params: params.extend({
    tool: withExample(z.string().min(1).max(256), 'read_text_file'),
  }),
  body: z
    .strictObject({ arguments: z.record(z.string(), z.unknown()).default({}) })
    .meta({ id: 'CallMcpToolRequest', examples: [{ arguments: { path: 'note.txt' } }] }),
  result: named.object('McpToolResult', [exampleMcpToolResult], {
    content: z.array(
      named
        .looseObject('McpToolContent', { type: z.string() })
        .describe('A content block of MCP, such as `text` or `image`.'),
    ),
    is_error: z.boolean(),
    duration_ms: z.number().nonnegative(),
  }),
  errors: [
    'unrecognized_keys',
    'mcp_server_not_found',
    'plugin_unreachable',
    'queue_full',
    'shutting_down',
  ],
});
