import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleScript } from './test-engines.ts';

/**
 * A program for the setting `engine.llamaServer` that runs `scripted-llama-server.ts`.
 *
 * @param devices Lines of its device list.
 * @returns The path of the program.
 */
export async function writeScriptedEngine(
  folder: string,
  contextLength = 4096,
  devices: readonly string[] = [],
): Promise<string> {
  const engine = await bundleScript('test/setup/engine/scripted-llama-server.ts', folder);
  const program = join(folder, 'scripted-engine');
  const start = `#!/bin/sh\nexport SCRIPTED_CONTEXT_LENGTH=${contextLength} SCRIPTED_DEVICES='${devices.join(';')}' SCRIPTED_ARGUMENTS='${argumentsPath(folder)}'\nexec '${process.execPath}' '${engine}' "$@"\n`;
  await writeFile(program, start, { mode: 0o755 });
  return program;
}

/** The arguments of the engine that was last started in a folder. */
export async function readScriptedArguments(folder: string): Promise<readonly string[]> {
  return JSON.parse(await readFile(argumentsPath(folder), 'utf8'));
}

function argumentsPath(folder: string): string {
  return join(folder, 'engine-arguments.json');
}
