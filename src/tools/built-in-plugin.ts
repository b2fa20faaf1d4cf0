import type { ListedTool } from './tool-list.ts';
import type { ToolResult } from './toolbox.ts';

/** A tool of Hearth's own: a function of the arguments, which fit its schema. */
export interface BuiltInTool extends ListedTool {
  readonly call: (args: Readonly<Record<string, unknown>>) => ToolResult;
}

/** A plugin that is part of Hearth; it runs no program. */
export interface BuiltInPlugin {
  readonly label: string;
  readonly tools: readonly BuiltInTool[];
}
