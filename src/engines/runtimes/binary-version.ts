import { stat } from 'node:fs/promises';
import { runProgram } from './run-program.ts';

/** Reads the llama.cpp build of a binary, such as `b11541`; `unknown` if it does not report one. */
export type BinaryVersionReader = (command: string) => Promise<string>;

const timeoutMs = 20_000;

/** Returns a reader that runs each binary only once, unless the file has changed. */
export function createBinaryVersionReader(
  environment: Readonly<Record<string, string | undefined>>,
): BinaryVersionReader {
  const known = new Map<
    string,
    { readonly changedMs: number; readonly version: Promise<string> }
  >();
  return async (command) => {
    const changedMs = (await stat(command)).mtimeMs;
    const entry = known.get(command);
    if (entry?.changedMs === changedMs) return entry.version;
    const version = readVersion(command, environment);
    known.set(command, { changedMs, version });
    return version;
  };
}

async function readVersion(
  command: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  try {
    const { output } = await runProgram(command, ['--version'], { environment, timeoutMs });
    return parseVersion(output) ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Parses `version: 11541 (abc)` and the newer `version: 0.6.0-dev (build 11541, commit abc)`. */
export function parseVersion(output: string): string | undefined {
  const match =
    /^version: .*\bbuild:? (\d+)/m.exec(output) ?? /^version: (\d+)\b(?!\.)/m.exec(output);
  return match?.[1] === undefined ? undefined : `b${match[1]}`;
}
