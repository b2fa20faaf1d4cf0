import { labelOf } from '../server/offline/plugins.ts';

/** Accepts both `files` and the id `mcp/files`, which `hearth mcp ls` shows. @returns the label */
export function parsePluginLabel(argument: string): string {
  return labelOf(argument) ?? argument;
}
