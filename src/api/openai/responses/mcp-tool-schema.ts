import * as z from 'zod';
import * as named from '../../kit/named.ts';

const toolNamesSchema = z.array(z.string().min(1).max(512)).max(1000);

const toolFilterSchema = z
  .looseObject({
    tool_names: toolNamesSchema.nullish(),
    read_only: z.boolean().nullish().describe('The `readOnlyHint` of the tool on its server.'),
  })
  .meta({ id: 'OpenAiMcpToolFilter', description: 'The tools that match every field.' });
export type OpenAiMcpToolFilter = z.infer<typeof toolFilterSchema>;

const approvalSchema = z
  .union([
    z.enum(['always', 'never']),
    z.strictObject({ always: toolFilterSchema.nullish(), never: toolFilterSchema.nullish() }).meta({
      id: 'OpenAiMcpApprovalFilter',
      description:
        'Calls of tools in `always` need an approval, those in `never` do not. Calls of other tools need one, unless only `always` is set.',
    }),
  ])
  .meta({
    id: 'OpenAiMcpApproval',
    description: 'Whether a call needs the approval of the client: `always` if absent.',
    examples: ['never', { never: { tool_names: ['search'] } }],
  });
export type OpenAiMcpApproval = z.infer<typeof approvalSchema>;

export const mcpToolSchema = named.looseObject('OpenAiMcpTool', {
  type: z.literal('mcp'),
  server_label: z.string().min(1).max(256),
  server_url: z.url({ protocol: /^https?$/ }).max(2048),
  headers: z.record(z.string().min(1).max(256), z.string().max(8192)).nullish(),
  authorization: z.string().max(8192).nullish(),
  allowed_tools: named
    .union('OpenAiMcpAllowedTools', [toolNamesSchema, toolFilterSchema])
    .nullish(),
  require_approval: approvalSchema.nullish(),
});
