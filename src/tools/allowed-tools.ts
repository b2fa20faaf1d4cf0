import { HearthError } from '../contract/errors.ts';
import type { Logger } from '../observability/logger.ts';
import { listNames } from './list-names.ts';
import type { ToolSource } from './tool-source.ts';

const maxLogged = 20;

/**
 * Checks the names of `allowed_tools` against what the server has, and notes what can't be offered.
 *
 * @throws HearthError `invalid_value`, with the names that there are.
 */
export function assertAllowed(
  { connection, allowedTools, label }: ToolSource,
  param: string,
  logger: Logger,
): void {
  const { tools, leftOut } = connection.list();
  for (const [tool, reason] of [...leftOut].slice(0, maxLogged)) {
    logger.warn({ server: label, tool, reason }, 'a tool is left out');
  }
  const names = new Set(tools.map(({ name }) => name));
  for (const [index, name] of [...(allowedTools ?? [])].entries()) {
    if (names.has(name)) continue;
    const quoted = JSON.stringify(name.slice(0, 100));
    const reason = leftOut.get(name);
    const message =
      reason === undefined
        ? `${JSON.stringify(label)} has no tool ${quoted}; it has: ${listNames([...names])}.`
        : `The tool ${quoted} of ${JSON.stringify(label)} can't be used: ${reason}.`;
    throw new HearthError('invalid_value', message, { param: `${param}.allowed_tools[${index}]` });
  }
}
