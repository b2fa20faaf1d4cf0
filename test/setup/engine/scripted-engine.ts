import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleScript } from './test-engines.ts';

/**
 * A program for the setting `engine.llamaServer` that runs `scripted-llama-server.ts`.
 *
 * @returns its path
 */
export async function writeScriptedEngine(folder: string, contextLength = 4096): Promise<string> {
  const engine = await bundleScript('test/setup/engine/scripted-llama-server.ts', folder);
  const program = join(folder, 'scripted-engine');
  const start = `#!/bin/sh\nexport SCRIPTED_CONTEXT_LENGTH=${contextLength}\nexec '${process.execPath}' '${engine}' "$@"\n`;
  await writeFile(program, start, { mode: 0o755 });
  return program;
}
