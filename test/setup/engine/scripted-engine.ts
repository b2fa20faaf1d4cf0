import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleScript } from './test-engines.ts';

/** Writes the scripted engine into a folder; returns the path of the program for the setting `engine.llamaServer`. */
export async function writeScriptedEngine(folder: string): Promise<string> {
  const engine = await bundleScript('test/setup/engine/scripted-llama-server.ts', folder);
  const program = join(folder, 'scripted-engine');
  const start = `#!/bin/sh\nexec '${process.execPath}' '${engine}' "$@"\n`;
  await writeFile(program, start, { mode: 0o755 });
  return program;
}
