import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { makeFolder, removeFolder } from '../temporary-folder.ts';
import { startHearth, type HearthOptions, type HearthProcess } from './hearth-process.ts';

/** Fills the home folder before the server starts; may return options that depend on the folder. */
type HearthSetup = (home: string) => Promise<HearthOptions | void> | HearthOptions | void;

export interface RunningHearth extends HearthProcess {
  /** Restarts the server on its home folder after `stop` or `kill`; by default with the same options. */
  restart(options?: HearthOptions): Promise<void>;
}

/**
 * A server for all tests of a file or a `describe`, with its own home folder. A failed test shows what the server
 * logged during the test; a crash of the server fails the file.
 */
export function useHearth(setup: HearthOptions | HearthSetup = {}): RunningHearth {
  let home = '';
  let options: HearthOptions = {};
  let current: HearthProcess | undefined;
  let wasKilled = false;
  const running = (): HearthProcess => {
    if (current === undefined) throw new Error('hearth serve starts before the first test.');
    return current;
  };
  async function start(): Promise<void> {
    current = await startHearth(home, options);
    wasKilled = false;
  }

  beforeAll(async () => {
    home = await makeFolder();
    options = (typeof setup === 'function' ? await setup(home) : setup) ?? {};
    await start();
  });
  beforeEach(({ onTestFailed }) => {
    const logged = current?.log().length ?? 0;
    const before = current;
    onTestFailed(() => {
      const log = current === before ? current?.log().slice(logged) : current?.log();
      console.error(`hearth serve logged during this test:\n${log}`);
    });
  });
  afterAll(async () => {
    try {
      const exitCode = await current?.stop();
      if (current !== undefined && exitCode !== 0 && !wasKilled) {
        throw new Error(`hearth serve ended with the exit code ${exitCode}:\n${current.log()}`);
      }
    } finally {
      await removeFolder(home);
    }
  });

  return {
    get url() {
      return running().url;
    },
    get home() {
      return home;
    },
    get pid() {
      return running().pid;
    },
    log: () => running().log(),
    stop: () => running().stop(),
    kill: async () => {
      wasKilled = true;
      await running().kill();
    },
    restart: async (changed) => {
      options = changed ?? options;
      await start();
    },
  };
}

/** A server that stops after the test. Its home folder is removed, unless one is passed. */
export async function openHearth(
  options: HearthOptions & { readonly home?: string } = {},
): Promise<HearthProcess> {
  const home = options.home ?? (await makeFolder());
  const hearth = await startHearth(home, options);
  onTestFinished(async () => {
    await hearth.stop();
    if (options.home === undefined) await removeFolder(home);
  });
  return hearth;
}
