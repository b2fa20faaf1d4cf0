import { testRuntime } from './shared-runtimes.ts';

/** Installs the engine before the first test, so that it does not count toward the time limit of a test. */
export async function setup(): Promise<void> {
  await testRuntime();
}
