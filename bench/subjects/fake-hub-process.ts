import { startBenchProgram, type BenchProgram } from './bench-program.ts';

export type FakeHubProcess = BenchProgram<{
  readonly url: string;
  /** Of the one file that it has. */
  readonly fileUrl: string;
}>;

/** Contents of the hub of `startFakeHubProcess`. */
export const benchRepository = 'bench/large';
export const benchFile = 'large.gguf';
export const benchFileBytes = 200_000_000;

/** Starts a hub on loopback with one large file, in a process of its own, as a real one would be. */
export function startFakeHubProcess(signal: AbortSignal): Promise<FakeHubProcess> {
  return startBenchProgram('fake-hub', [], signal);
}
