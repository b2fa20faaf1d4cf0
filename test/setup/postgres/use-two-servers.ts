import { randomBytes } from 'node:crypto';
import { useHearth, type RunningHearth } from '../server/use-hearth.ts';
import { storeEnvironment } from './store-environment.ts';

interface TwoServers {
  readonly one: RunningHearth;
  readonly two: RunningHearth;
  /** Environment variable with their database, for commands. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
}

/**
 * Two servers on one database, each with its own home folder, for all tests of a file.
 *
 * @param prepare Fills each home folder.
 */
export function useTwoServers(
  flags: readonly string[],
  prepare: (home: string) => Promise<unknown>,
): TwoServers {
  const name = randomBytes(8).toString('hex');
  const environment = () => storeEnvironment(name);
  const open = (): RunningHearth =>
    useHearth(async (home) => {
      await prepare(home);
      return { environment: await environment(), flags };
    });
  return { one: open(), two: open(), environment };
}
