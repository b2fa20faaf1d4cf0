import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { bundleScript } from '../engine/test-engines.ts';
import { projectFolder } from '../project-folder.ts';

/** Bundles the script of the thread that runs statements, in a folder from which Node finds the package for SQLite. */
export function useThreadScript(): { readonly path: string } {
  const cache = join(projectFolder, 'node_modules/.cache');
  let folder: string;
  let path: string;
  beforeAll(async () => {
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(join(cache, 'hearth-test-'));
    path = await bundleScript('src/store/statement-thread-main.ts', folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    get path() {
      return path;
    },
  };
}
