import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export const clientsFolder = import.meta.dirname;

/**
 * Runs a program of this workspace, of npm or PyPI, and returns its output.
 *
 * @throws Error with the output, if the program fails.
 */
export async function run(
  program: string,
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folders = [
    join(clientsFolder, 'node_modules/.bin'),
    join(clientsFolder, '.venv/bin'),
    process.env['PATH'],
  ];
  const env = { ...process.env, PATH: folders.join(delimiter), ...environment };
  const options = { cwd: clientsFolder, env, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout } = await promisify(execFile)(program, commandLine, options);
    return stdout;
  } catch (error) {
    const { message, stdout } = error as Error & { readonly stdout?: string };
    throw new Error(`${message}\n${stdout ?? ''}`, { cause: error });
  }
}
