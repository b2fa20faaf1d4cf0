import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { pluginLabelSchema } from '../../../tools/plugin-label.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const exampleApproval = {
  plugin_id: 'mcp/files',
  label: 'files',
  tool: 'write_file',
  decision: 'always' as const,
};

const decisionSchema = z
  .enum(['always', 'never'])
  .describe('Whether calls of the tool are made without asking, or refused.');

const toolApprovalSchema = named.object('ToolApproval', [exampleApproval], {
  plugin_id: z.string(),
  label: z.string().describe('The plugin in mcp.json.'),
  tool: z.string(),
  decision: decisionSchema,
});
export type ToolApprovalRecord = z.infer<typeof toolApprovalSchema>;

const params = z.object({
  label: withExample(pluginLabelSchema, 'files'),
  tool: withExample(z.string().min(1).max(256), 'write_file'),
});

export const listToolApprovals = defineRoute('GET /api/v1/tool-approvals', {
  operationId: 'listToolApprovals',
  summary: 'List the tools whose calls you always or never allow',
  description:
    'They belong to the token, or to all callers without one. Requests with `tool_approvals` follow them.',
  permission: 'chat',
  result: z
    .object({ approvals: z.array(toolApprovalSchema) })
    .meta({ id: 'ToolApprovalList', examples: [{ approvals: [exampleApproval] }] }),
});

export const setToolApproval = defineRoute('PUT /api/v1/tool-approvals/{label}/{tool}', {
  operationId: 'setToolApproval',
  summary: 'Always or never allow the calls of a tool',
  permission: 'chat',
  params,
  body: z
    .strictObject({ decision: decisionSchema })
    .meta({ id: 'SetToolApprovalRequest', examples: [{ decision: 'never' }] }),
  result: toolApprovalSchema,
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value', 'conflict'],
});

export const removeToolApproval = defineRoute('DELETE /api/v1/tool-approvals/{label}/{tool}', {
  operationId: 'removeToolApproval',
  summary: 'Ask again before calls of a tool',
  permission: 'chat',
  params,
  result: z.object({ plugin_id: z.string(), tool: z.string(), removed: z.literal(true) }).meta({
    id: 'RemovedToolApproval',
    examples: [{ plugin_id: 'mcp/files', tool: 'write_file', removed: true }],
  }),
  errors: ['tool_approval_not_found', 'invalid_value'],
});

const exampleCallId = 'call_0d4f7c136b2f0c9e4d7a1f3852c6e0b94a7d1f386c5e2b0a';

const scopeSchema = z
  .enum(['once', 'conversation', 'always'])
  .describe(
    'The calls of the tool that the answer applies to: `once` is this call, `conversation` the calls of this response and of the responses that continue it, `always` all calls. `always` is for plugins only.',
  );

const exampleToolCallApprovalRequests = [
  { approved: true, scope: 'conversation' },
  { approved: false, reason: 'Use a copy.' },
];

export const answerToolCall = defineRoute('POST /api/v1/tool-calls/{call_id}/approval', {
  operationId: 'answerToolCall',
  summary: 'Approve or refuse a tool call that waits',
  description:
    'Answers a `tool_call.approval_required` event of a chat with `tool_approvals`. A call is answered once, by the caller who started the chat.',
  permission: 'chat',
  params: z.object({
    call_id: withExample(z.string().min(1).max(512), exampleCallId),
  }),
  body: named.strictObject('ToolCallApprovalRequest', exampleToolCallApprovalRequests, {
    approved: z.boolean(),
    scope: scopeSchema.default('once'),
    reason: z.string().max(1000).nullish().describe('Why the call is refused; the model reads it.'),
  }),
  result: z.object({ call_id: z.string(), approved: z.boolean(), scope: scopeSchema }).meta({
    id: 'ToolCallApproval',
    examples: [{ call_id: exampleCallId, approved: true, scope: 'conversation' }],
  }),
  errors: [
    'tool_approval_not_found',
    'conflict',
    'unrecognized_keys',
    'missing_required_parameter',
    'invalid_type',
    'invalid_value',
  ],
});
