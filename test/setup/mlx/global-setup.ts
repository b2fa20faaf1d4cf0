import { mlxRuntime } from './mlx-runtime.ts';

/** Installs the runtime before the first test, so that it does not count toward the time limit of a test. */
export async function setup(): Promise<void> {
  await mlxRuntime();
}
