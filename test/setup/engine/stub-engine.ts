import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A program for the setting `engine.llamaServer` that fails depending on the model's path: it never becomes ready
 * if the path contains `slow`, and exits with an error otherwise.
 *
 * @param onVersionCommand Shell command that runs when Hearth queries its version: once, between finding the
 *   first model and starting an engine for it.
 * @returns its path
 */
export async function writeStubEngine(folder: string, onVersionCommand: string): Promise<string> {
  const path = join(folder, 'stub-engine');
  const script = `#!/bin/sh
case "$*" in
  --version) ${onVersionCommand}; echo 'version: 11549 (stub)' ;;
  *slow*) exec sleep 60 ;;
  *) echo 'the stub does not serve' >&2; exit 1 ;;
esac
`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}
