import { HearthError } from '../contract/errors.ts';
import { listNames } from './list-names.ts';
import type { ToolList } from './tool-list.ts';

/**
 * Checks the names in `allowedTools` against the tools of the server.
 *
 * @param field Domain path of the integration.
 * @throws HearthError `invalid_value` with the names that exist.
 */
export function assertAllowedTools(
  { tools, leftOut }: ToolList,
  { label, allowedTools }: { readonly label: string; readonly allowedTools: Iterable<string> },
  field: string,
): void {
  const names = new Set(tools.map(({ name }) => name));
  for (const [index, name] of [...allowedTools].entries()) {
    if (names.has(name)) continue;
    const quoted = JSON.stringify(name.slice(0, 100));
    const reason = leftOut.get(name);
    const message =
      reason === undefined
        ? `${JSON.stringify(label)} has no tool ${quoted}; it has: ${listNames([...names])}.`
        : `The tool ${quoted} of ${JSON.stringify(label)} can't be used: ${reason}.`;
    throw new HearthError('invalid_value', message, { field: `${field}.allowedTools[${index}]` });
  }
}
