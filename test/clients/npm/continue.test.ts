import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../../setup/engine/scripted-llama-server.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../../setup/temporary-folder.ts';
import { run } from '../run.ts';

/** Continue's command edits a file, with the configuration of docs/clients.md; a script stands in for the model. */
const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));
const folder = useTemporaryFolder();

it('chats in a stream, and edits a file with its tools', async () => {
  const path = join(folder.path, 'greeting.txt');
  await writeFile(path, 'Hello, wrld!\n');
  const edit = { file_path: path, old_string: 'wrld', new_string: 'world' };
  const script: readonly ScriptedGeneration[] = [
    { calls: [['Read', JSON.stringify({ filepath: path })]] },
    { calls: [['Edit', JSON.stringify(edit)]] },
    { text: 'Fixed.' },
  ];
  const config = join(folder.path, 'config.yaml');
  await writeFile(config, configuration());
  const prompt = `Fix the spelling: ${JSON.stringify(script)}`;
  const output = await run('cn', ['--print', '--auto', '--config', config, prompt], {
    HOME: folder.path,
    CONTINUE_GLOBAL_DIR: join(folder.path, 'continue'),
    CONTINUE_TELEMETRY_ENABLED: '0',
  });
  expect(await readFile(path, 'utf8'), output).toBe('Hello, world!\n');
  expect(output).toContain('Fixed.');
});

function configuration(): string {
  return [
    'name: Hearth',
    'version: 1.0.0',
    'schema: v1',
    'models:',
    '  - name: Hearth',
    '    provider: openai',
    '    model: hearth/starter-chat',
    `    apiBase: ${hearth.url}/v1`,
    '    apiKey: any',
    '    roles: [chat, edit, apply]',
  ].join('\n');
}
