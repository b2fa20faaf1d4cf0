import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../../setup/engine/scripted-llama-server.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../../setup/temporary-folder.ts';
import { clientsFolder, run } from '../run.ts';

/** Cline's command edits a file through its provider for servers with OpenAI's API; a script stands in for the model. */
const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));
const folder = useTemporaryFolder();

const program = join(clientsFolder, 'node_modules/@cline/cli-linux-x64/bin/cline');
const isInstalled = `${process.platform}-${process.arch}` === 'linux-x64';

it.runIf(isInstalled)('chats in a stream, and edits a file with its tools', async () => {
  const path = join(folder.path, 'greeting.txt');
  await writeFile(path, 'Hello, wrld!\n');
  const script: readonly ScriptedGeneration[] = [
    { calls: [['read_files', JSON.stringify({ files: [{ path }] })]] },
    { calls: [['editor', JSON.stringify({ path, old_text: 'wrld', new_text: 'world' })]] },
    { text: 'Fixed.' },
  ];
  const data = join(folder.path, 'data');
  await mkdir(data);
  const environment = { HOME: folder.path };
  const account = `auth openai-compatible -k any -m hearth/starter-chat -b ${hearth.url}/v1 --data-dir ${data}`;
  await run(program, account.split(' '), environment);
  const prompt = `Fix the spelling: ${JSON.stringify(script)}`;
  const options = `--json --data-dir ${data} --cwd ${folder.path} -P openai-compatible`;
  const output = await run(program, [...options.split(' '), prompt], environment);
  expect(await readFile(path, 'utf8'), output).toBe('Hello, world!\n');
  expect(output).toContain('Fixed.');
});
