import { findUnknownVariables } from '../../settings/settings.ts';
import type { CommandContext } from '../context.ts';
import { printable } from '../../kernel/printable.ts';

/** Warns about `HEARTH_*` environment variables that are not settings. Other programs may own them. */
export function warnOfUnknownVariables({ environment, terminal }: CommandContext): void {
  for (const { name, nearest } of findUnknownVariables(environment)) {
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    terminal.messages.line(printable(`warning: ${name} is not a setting.${hint}`));
  }
}
