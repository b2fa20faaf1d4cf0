import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Creates a folder; its path contains no links. Remove it with `removeFolder`. */
export async function makeFolder(): Promise<string> {
  // `expectError` looks for this prefix: messages may contain this folder.
  return realpath(await mkdtemp(join(tmpdir(), 'hearth-test-')));
}

export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** A folder that is removed after the test. Call it in a test or its `beforeEach`. */
export async function temporaryFolder(): Promise<string> {
  const path = await makeFolder();
  onTestFinished(() => removeFolder(path));
  return path;
}

/** A folder for all tests of a file or a `describe`. `path` is available after the first `beforeAll`. */
export function useTemporaryFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeAll(async () => {
    folder.path = await makeFolder();
  });
  afterAll(() => removeFolder(folder.path));
  return folder;
}
