import type { ToolContent } from '../../../src/store/turns/content.ts';
import type { Tool, ToolServers } from '../../../src/tools/toolbox.ts';

/** A tool server that offers these tools to every request. */
export function scriptedTools(...tools: readonly Tool[]): ToolServers {
  return {
    validate: async () => {},
    open: async () => ({ tools: () => tools, close: async () => {} }),
    close: async () => {},
  };
}

/** A tool that accepts any arguments, unless `findArgumentIssue` is set, and returns a text. */
export function scriptedTool(
  name: string,
  answer: (input: Readonly<Record<string, unknown>>) => Promise<string | readonly ToolContent[]>,
  changes: Partial<Tool> = {},
): Tool {
  return {
    name,
    exposedName: name,
    description: undefined,
    parameters: { type: 'object' },
    provider: { type: 'plugin', pluginId: 'mcp/test' },
    findArgumentIssue: () => undefined,
    call: async (input) => {
      const content = await answer(input);
      return {
        content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
        isError: false,
      };
    },
    ...changes,
  };
}
