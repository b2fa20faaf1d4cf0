import { flag } from '../option.ts';
import type { ServiceScope } from './service-definition.ts';

/** Options of every command of the group `service`. */
export const scopeOption = {
  user: flag('--user', 'The user service, instead of the system service'),
};

export const dryRunOption = {
  dryRun: flag('--dry-run', 'Print the files and commands, and change nothing'),
};

/** The scope that an option names; undefined if the command may look for the installed one. */
export function scopeOf(options: { readonly user: boolean | undefined }): ServiceScope | undefined {
  return options.user === true ? 'user' : undefined;
}
