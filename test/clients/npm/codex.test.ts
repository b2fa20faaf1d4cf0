import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codingAgents } from '../../../src/cli/launch/coding-agents.ts';
import { runHearth } from '../../setup/cli/run-hearth.ts';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../../setup/engine/scripted-llama-server.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { makeFolder, removeFolder } from '../../setup/temporary-folder.ts';
import { clientsFolder } from '../run.ts';

/** Codex edits a file, as `hearth launch codex --run` starts it; a script stands in for the model. */
const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));

it('chats in a stream, and edits a file with its shell tool', async () => {
  const folder = await makeFolder();
  try {
    const file = join(folder, 'greeting.txt');
    await writeFile(file, 'Hello, wrld!\n');
    const script: readonly ScriptedGeneration[] = [
      {
        calls: [
          ['exec_command', '{"cmd": "sed -i s/wrld/world/ greeting.txt && cat greeting.txt"}'],
        ],
      },
      { text: 'I fixed the spelling.' },
    ];
    // The test has its own folder, and CI machines lack what the sandbox needs.
    const options = `--json --skip-git-repo-check --sandbox danger-full-access --cd ${folder}`;
    const prompt = `Fix the spelling. ${JSON.stringify(script)}`;
    const outcome = await runHearth(
      [...`launch codex --run -- exec ${options}`.split(' '), prompt],
      {
        home: hearth.home,
        environment: {
          PATH: `${join(clientsFolder, 'node_modules/.bin')}:${process.env['PATH']}`,
          HOME: folder,
          CODEX_HOME: folder,
        },
      },
    );
    expect(await readFile(file, 'utf8')).toBe('Hello, world!\n');
    const events = outcome.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    const items = events.flatMap(({ type, item }) => (type === 'item.completed' ? [item] : []));
    expect(items).toContainEqual(
      expect.objectContaining({
        type: 'command_execution',
        exit_code: 0,
        aggregated_output: expect.stringContaining('Hello, world!'),
      }),
    );
    expect(items.at(-1)).toMatchObject({ type: 'agent_message', text: 'I fixed the spelling.' });
    expect(events.at(-1)).toMatchObject({ type: 'turn.completed' });
    expect(outcome.exitCode).toBe(0);
  } finally {
    await removeFolder(folder);
  }
});

it('is among the agents of `hearth launch`', () => {
  expect(codingAgents.map(({ name }) => name)).toContain('codex');
});
