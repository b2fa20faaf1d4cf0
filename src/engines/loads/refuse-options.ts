import { HearthError } from '../../kernel/errors/errors.ts';
import type { InstanceConfig } from './load-options.ts';

/**
 * Refuses options of a load that an engine does not have.
 *
 * @param reason Why, such as `m runs on a remote server`.
 * @throws HearthError `invalid_value` that names the first of them that is set.
 */
export function refuseOptions(
  requested: Partial<InstanceConfig>,
  options: readonly (keyof InstanceConfig)[],
  reason: string,
): void {
  const option = options.find((name) => requested[name] !== undefined);
  if (option === undefined) return;
  throw new HearthError('invalid_value', (name) => `${reason}; leave ${name(option)} out.`, {
    field: option,
  });
}
