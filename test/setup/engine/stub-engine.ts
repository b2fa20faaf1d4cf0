import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A program for the setting `engine.llamaServer` that fails as the model's path says: it never gets ready
 * if that holds `slow`, and ends with a complaint otherwise.
 *
 * @param onVersionCommand Shell command that runs when Hearth asks for its version: once, between finding the
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
