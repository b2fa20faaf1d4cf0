import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { runHearth } from '../../setup/cli/run-hearth.ts';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../../setup/engine/scripted-llama-server.ts';
import { hearthEntryPoint } from '../../setup/server/hearth-process.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../../setup/temporary-folder.ts';
import { clientsFolder, run } from '../run.ts';

/** Claude Code edits a file, as `hearth launch claude --run` starts it; a script stands in for the model. */
const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 262_144)}`],
}));
const folder = useTemporaryFolder();

/** The packages of the programs for other systems are not installed. */
const platformPackage = '@anthropic-ai/claude-code-linux-x64';
const isInstalled = `${process.platform}-${process.arch}` === 'linux-x64';

it.runIf(isInstalled)('chats in a stream, and edits a file with its tools', async () => {
  const path = join(folder.path, 'greeting.txt');
  await writeFile(path, 'Hello, wrld!\n');
  const edit = { file_path: path, old_string: 'wrld', new_string: 'world' };
  const script: readonly ScriptedGeneration[] = [
    { calls: [['Read', JSON.stringify({ file_path: path })]] },
    { calls: [['Edit', JSON.stringify(edit)]] },
    { text: 'Fixed.' },
  ];
  const prompt = `Fix the spelling: ${JSON.stringify(script)}`;
  const options = `--print --output-format json --permission-mode acceptEdits --add-dir ${folder.path}`;
  const outcome = await runHearth(
    [...`launch claude --run -- ${options}`.split(' '), '--', prompt],
    { home: hearth.home, environment: await environment() },
  );
  expect(await readFile(path, 'utf8'), outcome.stdout + outcome.stderr).toBe('Hello, world!\n');
  expect(JSON.parse(outcome.stdout)).toMatchObject({ is_error: false, result: 'Fixed.' });
  expect(outcome.exitCode).toBe(0);
});

it.runIf(isInstalled)('connects to Hearth as an MCP server', async () => {
  const claude = join(clientsFolder, 'node_modules', platformPackage, 'claude');
  const variables = { HOME: folder.path, CLAUDE_CONFIG_DIR: join(folder.path, 'mcp') };
  const add = (...commandLine: string[]) => run(claude, ['mcp', 'add', ...commandLine], variables);
  await add('--transport', 'http', 'web', `${hearth.url}/mcp`);
  const serve = [hearthEntryPoint, 'mcp', 'serve', '--host', hearth.url];
  await add('program', '--', process.execPath, ...serve);
  const list = await run(claude, ['mcp', 'list'], variables);
  expect(list).toMatch(/^web: .*Connected$/m);
  expect(list).toMatch(/^program: .*Connected$/m);
});

/** All folders are inside the test's folder, and no variables are inherited. */
async function environment(): Promise<Readonly<Record<string, string>>> {
  const bin = join(folder.path, 'bin');
  await mkdir(bin);
  await symlink(
    join(clientsFolder, 'node_modules', platformPackage, 'claude'),
    join(bin, 'claude'),
  );
  return {
    HOME: folder.path,
    CLAUDE_CONFIG_DIR: join(folder.path, 'claude'),
    PATH: [bin, process.env['PATH']].join(delimiter),
  };
}
