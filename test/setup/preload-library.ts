import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';

/** The reason why a library can't be preloaded into a server here; undefined if it can. */
export function whyNotPreloaded(): string | undefined {
  if (process.platform !== 'linux') return 'preloading a library needs Linux';
  const { status } = spawnSync('gcc', ['--version']);
  return status === 0 ? undefined : 'it needs gcc: apt-get install gcc libc6-dev';
}

/** Compiles a C file for `LD_PRELOAD`. @returns The path of the library. */
export function compilePreloaded(source: string, folder: string): string {
  const library = join(folder, `${basename(source, '.c')}.so`);
  const flags = ['-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'];
  const { status, stderr } = spawnSync('gcc', [...flags, '-o', library, source], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return library;
}
