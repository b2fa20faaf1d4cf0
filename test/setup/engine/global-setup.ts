import { testRuntime } from './shared-runtimes.ts';

/** Installs the engine before the first test, so that no test's time limit pays for it. */
export async function setup(): Promise<void> {
  await testRuntime();
}
