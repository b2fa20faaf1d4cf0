import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { runHearth } from '../../setup/cli/run-hearth.ts';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../../setup/engine/scripted-llama-server.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../../setup/temporary-folder.ts';
import { clientsFolder } from '../run.ts';

/** opencode edits a file, as `hearth launch opencode --run` starts it; a script stands in for the model. */
const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));
const folder = useTemporaryFolder();

interface AgentEvent {
  readonly type: string;
  readonly part: {
    readonly tool?: string;
    readonly text?: string;
    readonly reason?: string;
    readonly state?: { readonly status: string; readonly output: string };
  };
}

/** The packages of the programs for other systems are not installed. */
const platformPackage = 'opencode-linux-x64';
const isInstalled = `opencode-${process.platform}-${process.arch}` === platformPackage;

it.runIf(isInstalled)('chats in a stream, and edits a file with its tools', async () => {
  const filePath = join(folder.path, 'greeting.txt');
  await writeFile(filePath, 'Hello, wrld!\n');
  const edit = { filePath, oldString: 'wrld', newString: 'world' };
  const script: readonly ScriptedGeneration[] = [
    { calls: [['read', JSON.stringify({ filePath })]] },
    { calls: [['edit', JSON.stringify(edit)]] },
    { text: 'Fixed.' },
  ];
  const options = `run --pure --auto --format json --title spelling --dir ${folder.path}`;
  // opencode quotes words with spaces, so the script has none.
  const prompt = ['Fix', 'the', 'spelling:', JSON.stringify(script)];
  const outcome = await runHearth(
    [...`launch opencode --run -- ${options}`.split(' '), ...prompt],
    { home: hearth.home, environment: await environment() },
  );
  expect(await readFile(filePath, 'utf8'), outcome.stderr).toBe('Hello, world!\n');
  const events: readonly AgentEvent[] = outcome.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const parts = events.flatMap(({ type, part }) =>
    type === 'tool_use' || type === 'text' ? [part] : [],
  );
  expect(parts).toMatchObject([
    { tool: 'read', state: { status: 'completed', output: expect.stringContaining('wrld') } },
    { tool: 'edit', state: { status: 'completed' } },
    { text: 'Fixed.' },
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'step_finish', part: { reason: 'stop' } });
  expect(outcome.exitCode).toBe(0);
});

/** All folders are inside the test's folder, and no variables are inherited. */
async function environment(): Promise<Readonly<Record<string, string>>> {
  const bin = join(folder.path, 'bin');
  await mkdir(bin);
  await symlink(
    join(clientsFolder, 'node_modules', platformPackage, 'bin/opencode'),
    join(bin, 'opencode'),
  );
  const names = ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME'];
  return {
    ...Object.fromEntries(names.map((name) => [name, folder.path])),
    PATH: [bin, process.env['PATH']].join(delimiter),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  };
}
