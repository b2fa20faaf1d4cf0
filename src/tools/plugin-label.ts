import * as z from 'zod';

const prefix = 'mcp/';

/** The name of a plugin in mcp.json. The plugin's id is `mcp/` followed by this name. */
export const pluginLabelSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u,
    'must be up to 64 letters, digits, dots, dashes and underscores, and start with a letter or digit',
  );

/** Labels of the built-in plugins, which mcp.json can't use. */
export const builtInLabels: ReadonlySet<string> = new Set(['speech-script']);

export function pluginId(label: string): string {
  return prefix + label;
}

/** Undefined if the text is not the id of a plugin. */
export function labelOf(id: string): string | undefined {
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}
