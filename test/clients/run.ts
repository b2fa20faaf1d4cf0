import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';

export const clientsFolder = import.meta.dirname;

const defaultRunMs = 240_000;

/**
 * Runs a program of the project, of npm or PyPI, and returns its output. Its standard input is empty.
 *
 * @throws Error with the output if the program fails.
 */
export function run(
  program: string,
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  maxRunMs = defaultRunMs,
): Promise<string> {
  const folders = [
    join(clientsFolder, 'node_modules/.bin'),
    join(clientsFolder, '.venv/bin'),
    process.env['PATH'],
  ];
  const env = { ...process.env, PATH: folders.join(delimiter), ...environment };
  const options = {
    cwd: clientsFolder,
    env,
    maxBuffer: 64 * 1024 * 1024,
    // A program that hangs must not occupy the server during later tests.
    timeout: maxRunMs,
    killSignal: 'SIGKILL',
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, commandLine, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${program} failed: ${error.code}\n${stdout}\n${stderr}`));
    });
    // Some programs read their standard input to its end.
    child.stdin?.end();
  });
}
