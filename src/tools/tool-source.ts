import type { BuiltInPlugin } from './built-in-plugin.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ToolProvider } from './toolbox.ts';

/** What one integration of a request gives. */
export interface ToolSource {
  readonly provider: ToolProvider;
  /** Tells tools of the same name apart. */
  readonly label: string;
  /** Undefined: all. */
  readonly allowedTools: ReadonlySet<string> | undefined;
  readonly connection: ServerConnection;
}

/** A built-in plugin as if it were a server. */
export function connectBuiltIn(plugin: BuiltInPlugin): ServerConnection {
  const list = { tools: plugin.tools, leftOut: new Map<string, string>() };
  return {
    list: () => list,
    call: async (name, args, signal) => {
      signal.throwIfAborted();
      const tool = plugin.tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`The built-in plugin has no tool ${name}.`);
      return tool.call(args);
    },
    close: async () => {},
  };
}
