import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { officialServer } from '../setup/mcp/official-server.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { temporaryFolder, useTemporaryFolder } from '../setup/temporary-folder.ts';

const everything = officialServer('server-everything');
const folder = useTemporaryFolder();

const hearth = (...commandLine: string[]) =>
  runHearth(['mcp', ...commandLine], { home: folder.path });

// covers cli-10
it('adds, lists, tests and removes plugins', async () => {
  expect(await hearth('ls')).toMatchObject({ exitCode: 0, stdout: '' });
  const program = ['--env', 'KEY=secret', '--', process.execPath, everything];
  expect(await hearth('add', 'all', ...program)).toMatchObject({
    exitCode: 0,
    stdout: 'Added mcp/all\n',
  });
  const web = ['--url', 'http://127.0.0.1:1/mcp', '--header', 'Authorization: Bearer secret'];
  expect(await hearth('add', 'web', ...web, '--json')).toMatchObject({ exitCode: 0 });

  expect(await hearth('add', 'direct', 'http://127.0.0.1:1/mcp')).toMatchObject({
    exitCode: 0,
    stdout: 'Added mcp/direct\n',
  });
  expect(await hearth('rm', 'direct')).toMatchObject({ exitCode: 0 });

  const list = await hearth('ls', '--json');
  expect(JSON.parse(list.stdout).plugins).toEqual([
    { label: 'all', id: 'mcp/all', type: 'process', command: process.execPath, args: [everything] },
    { label: 'web', id: 'mcp/web', type: 'http', url: 'http://127.0.0.1:1/mcp' },
  ]);

  const tested = await hearth('test', 'all', '--json');
  expect(JSON.parse(tested.stdout).tools).toContainEqual(
    expect.objectContaining({ name: 'echo', parameters: expect.anything() }),
  );
  expect(await hearth('test', 'web')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("127.0.0.1:1 can't be reached (ECONNREFUSED)"),
  });

  expect(await hearth('rm', 'mcp/web')).toMatchObject({ exitCode: 0, stdout: 'Removed web\n' });
  expect(await hearth('rm', 'web')).toMatchObject({ exitCode: 1 });
});

it('names the place of an error in mcp.json', async () => {
  const broken = await temporaryFolder();
  const file = join(broken, 'mcp.json');
  await writeFile(file, '{\n  "mcpServers": {\n    "a": {"url": "http://a"},\n  }\n}');
  const { exitCode, stderr } = await runHearth(['mcp', 'ls'], { home: broken });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: `error: mcp.json is not valid JSON: property name expected (${file}:4:3).\n`,
  });
});

it.each([
  ['neither of both', ['x'], 'either a command after -- or a URL'],
  ['both', ['x', '--url', 'http://a', '--', 'a'], 'either a command after -- or a URL'],
  ['two URLs', ['x', 'http://a', '--url', 'http://b'], 'either a command after -- or a URL'],
  ['a header for a program', ['x', '--header', 'a:b', '--', 'a'], '--header requires'],
  ['no value', ['x', '--env', 'A', '--', 'a'], 'expected NAME=VALUE'],
  ['no label', ['a b', '--', 'a'], 'the label "a b" must be up to 64 letters'],
  ['a label of ours', ['speech-script', '--', 'a'], "a plugin of Hearth's own"],
])('reports the error: %s', async (_, commandLine, message) => {
  expect(await hearth('add', ...commandLine)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(message),
  });
});
