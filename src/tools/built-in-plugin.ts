import { compileToolSchema } from './tool-schema.ts';
import type { ListedTool } from './tool-list.ts';
import type { ToolResult } from './toolbox.ts';
import type { ToolSource } from './tool-source.ts';

/** A tool that is part of Hearth. Its function receives arguments that match the schema. */
export interface BuiltInTool extends Omit<ListedTool, 'schema'> {
  readonly call: (args: Readonly<Record<string, unknown>>) => ToolResult;
}

/** A plugin that is part of Hearth and needs no process. */
export interface BuiltInPlugin {
  readonly label: string;
  readonly tools: readonly BuiltInTool[];
}

/** Adapts a built-in plugin to the interface of tool servers. */
export function builtInSource(plugin: BuiltInPlugin, provider: ToolSource['provider']): ToolSource {
  const { label, tools } = plugin;
  const listed = tools.map((tool) => ({ ...tool, schema: compileToolSchema(tool.parameters) }));
  const list = { tools: listed, leftOut: new Map<string, string>() };
  return {
    label,
    provider,
    list,
    open: async () => ({
      list: () => list,
      call: async (name, args, signal) => {
        signal.throwIfAborted();
        const tool = tools.find((each) => each.name === name);
        if (tool === undefined) throw new Error(`The built-in plugin has no tool ${name}.`);
        return tool.call(args);
      },
      close: async () => {},
    }),
  };
}
