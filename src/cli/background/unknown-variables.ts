import { describeUnknownVariables } from '../../settings/settings.ts';
import type { CommandContext } from '../context.ts';
import { printable } from '../../kernel/printable.ts';
import { describeRemovedFlags, type ServeValues } from '../serve-options.ts';

/** Warns about flags and `HEARTH_*` environment variables that are ignored. Other programs may own the variables. */
export function warnOfIgnoredSettings(
  { environment, terminal }: CommandContext,
  values: ServeValues,
): void {
  for (const warning of [
    ...describeRemovedFlags(values),
    ...describeUnknownVariables(environment),
  ]) {
    terminal.messages.line(printable(`warning: ${warning}`));
  }
}
