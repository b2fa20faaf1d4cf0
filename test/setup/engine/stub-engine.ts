import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A program for the setting `engine.llamaServer` that never becomes ready if the model's path contains `slow`, and
 * otherwise exits with an error.
 *
 * @param onVersionCommand Shell command that runs when Hearth queries the version. That happens once: after the first
 * model is found and before an engine is started for it.
 * @returns The path of the program.
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
