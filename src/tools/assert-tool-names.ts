import { HearthError } from '../kernel/errors/errors.ts';
import { listNames } from './list-names.ts';
import type { ToolList } from './tool-list.ts';

/**
 * Checks the names of tools in a request against the tools of the server.
 *
 * @param field Domain path of the list of names.
 * @throws HearthError `invalid_value` with the names that exist.
 */
export function assertToolNames(
  { tools, leftOut }: ToolList,
  { label, names: requested }: { readonly label: string; readonly names: readonly string[] },
  field: string,
): void {
  const names = new Set(tools.map(({ name }) => name));
  for (const [index, name] of requested.entries()) {
    if (names.has(name)) continue;
    const quoted = JSON.stringify(name.slice(0, 100));
    const reason = leftOut.get(name);
    const message =
      reason === undefined
        ? `${JSON.stringify(label)} has no tool ${quoted}; it has: ${listNames([...names])}.`
        : `The tool ${quoted} of ${JSON.stringify(label)} can't be used: ${reason}.`;
    throw new HearthError('invalid_value', message, { field: `${field}[${index}]` });
  }
}
