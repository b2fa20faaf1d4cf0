import { labelOf } from '../tools/plugin-label.ts';

/** The label that was meant: `hearth mcp ls` shows `mcp/<label>`, so that is taken too. */
export function labelArgument(argument: string): string {
  return labelOf(argument) ?? argument;
}
