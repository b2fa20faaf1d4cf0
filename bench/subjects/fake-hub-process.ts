import { startBenchProgram, type BenchProgram } from './bench-program.ts';

export type FakeHubProcess = BenchProgram<{
  readonly url: string;
  /** URL of its only file. */
  readonly fileUrl: string;
}>;

/** Repository of the hub that `startFakeHubProcess` starts. */
export const benchRepository = 'bench/large';
export const benchFile = 'large.gguf';
export const benchFileBytes = 200_000_000;

/** Starts a hub with one large file on loopback, in a separate process, like a real hub. */
export function startFakeHubProcess(signal: AbortSignal): Promise<FakeHubProcess> {
  return startBenchProgram('fake-hub', [], signal);
}
