import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { linkRuntimes } from '../engine/link-runtimes.ts';
import { storeEnvironment } from '../postgres/store-environment.ts';
import { hearthEntryPoint, hearthEnvironment } from '../server/hearth-process.ts';

export interface HearthOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunHearthOptions {
  readonly home: string;
  /** Standard input; empty by default. */
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with each chunk of the output, for example to interrupt the command. */
  readonly onStdout?: (text: string, child: ChildProcess) => void;
}

/** Runs a command of the built tool until it exits. */
export async function runHearth(
  commandLine: readonly string[],
  options: RunHearthOptions,
): Promise<HearthOutcome> {
  linkRuntimes(options.home);
  const child = spawn(
    process.execPath,
    [hearthEntryPoint, '--home', options.home, ...commandLine],
    {
      stdio: 'pipe',
      env: hearthEnvironment({
        ...(await storeEnvironment(options.home)),
        ...options.environment,
      }),
    },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    options.onStdout?.(stdout, child);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(options.stdin ?? '');
  await once(child, 'close');
  return { exitCode: child.exitCode, stdout, stderr };
}
