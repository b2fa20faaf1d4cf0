import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Permission } from '../../kernel/permission.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { validate } from '../kit/validation/validation-error.ts';
import type { ApiServices } from '../services.ts';

/** Context of a call, besides its arguments. */
export interface ToolCall {
  readonly services: ApiServices;
  readonly context: RequestContext;
  /** Reports the progress of the call, if the client asked for it. */
  readonly report: (state: string) => void;
}

/** A tool that the server offers. */
export interface McpTool {
  readonly name: string;
  readonly permission: Permission;
  /** The tool's entry in `tools/list`. */
  readonly describe: () => Tool;
  /** @throws HearthError for arguments that do not match the schema, and the errors of the tool. */
  readonly call: (args: unknown, call: ToolCall) => Promise<Record<string, unknown>>;
}

interface ToolDeclaration<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The permission of the equivalent route. */
  readonly permission: Permission;
  readonly annotations: NonNullable<Tool['annotations']>;
  readonly input: Input;
  readonly output: Output;
  readonly run: (args: z.output<Input>, call: ToolCall) => Promise<z.input<Output>>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  declared: ToolDeclaration<Input, Output>,
): McpTool {
  const { name, title, description, permission, annotations, input, output, run } = declared;
  let described: Tool | undefined;
  return {
    name,
    permission,
    describe: () =>
      (described ??= {
        name,
        title,
        description,
        annotations,
        inputSchema: toJsonSchema(input, 'input'),
        outputSchema: toJsonSchema(output, 'output'),
      }),
    call: (args, call) => run(validate(input, args), call),
  };
}

/** Inlines references, since some clients do not pass them to their models. */
function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io });
  return { ...(inline(root, $defs) as object), type: 'object' };
}

function inline(value: unknown, definitions: z.core.JSONSchema.BaseSchema['$defs']): unknown {
  if (Array.isArray(value)) return value.map((each) => inline(each, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference, ...others } = value as z.core.JSONSchema.BaseSchema;
  const { id: _, ...target } = definitions?.[reference?.replace('#/$defs/', '') ?? ''] ?? {};
  return Object.fromEntries(
    Object.entries({ ...target, ...others }).map(([name, each]) => [
      name,
      inline(each, definitions),
    ]),
  );
}
