import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findUnexpected } from '../../test/setup/cli/bad-input.ts';
import { runCommand } from '../../test/setup/cli/run-command.ts';
import { startLoopbackServer } from '../../test/setup/net/loopback-server.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { Interruption } from './failure.ts';

let folder: string;
let home: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  home = join(folder, 'home');
});

/** Commands that start a server; `test/cli/bad-home.test.ts` covers them. */
const starting = ['serve', 'server start', 'open'];
const withoutHome = ['script', 'config path', 'completion', 'version'];
const withoutServer = [
  ...withoutHome,
  'server stop',
  'server status',
  'service uninstall',
  'service status',
  'import',
  'runtime ls',
  'token create',
  'token ls',
  'session ls',
  'store migrate',
  'store check',
  'store copy',
  'store prune',
  'store vacuum',
  'store backup',
  'store restore',
  'mcp add',
  'mcp ls',
  'mcp rm',
  'config ls',
  'config get',
  'config set',
  'config unset',
  'alias ls',
  'alias set',
  'alias rm',
  'doctor',
];
/** Remedies of commands that need something other than a server. */
const otherRemedies = {
  'service install': /without --user|systemd/,
  'service logs': /`hearth service install`/,
  'service restart': /`hearth service install`/,
  'runtime install': /Three ways out/,
  'runtime use': /`hearth runtime ls`/,
  'runtime rm': /`hearth runtime ls`/,
  'token edit': /`hearth token ls`/,
  'token rm': /`hearth token ls`/,
  'token adopt': /`hearth token ls`/,
  'session rm': /`hearth session ls`/,
  'mcp test': /`hearth mcp add`/,
  update: /--feed/,
};

describe('every command', () => {
  it('says how to start a server if none runs', async () => {
    const unexpected = await findUnexpected({
      home,
      folder,
      without: starting,
      unaffected: withoutServer,
      remedy: /is not running for the home folder .*`hearth server start`/,
      remedies: otherRemedies,
    });
    expect(unexpected).toEqual([]);
  });

  it('names the program that uses the port of the server', async () => {
    const other = await startLoopbackServer((_, response) => response.end('Hello'));
    const unexpected = await findUnexpected({
      home,
      folder,
      environment: { HEARTH_SERVER_PORT: new URL(other.url).port },
      without: ['server start', 'open'],
      unaffected: withoutServer,
      remedy: /The program at http:.* is not Hearth\..* another port with --port/,
      remedies: { ...otherRemedies, serve: /another program uses it\..*choose another port/ },
    });
    expect(unexpected).toEqual([]);
    await other.close();
  });

  it('names a home folder that is a file', async () => {
    await writeFile(home, '');
    const unexpected = await findUnexpected({
      home,
      folder,
      without: [],
      unaffected: [...withoutHome, 'service uninstall', 'doctor'],
      remedy: /\/home.*choose another home folder with --home/i,
      remedies: {
        'service logs': otherRemedies['service logs'],
        'service restart': otherRemedies['service restart'],
        'store restore': /There is no file/,
        update: otherRemedies.update,
        'mcp add': /\/home\. Choose another path; --home/,
        'mcp rm': /\/home\. Choose another path; --home/,
      },
    });
    expect(unexpected).toEqual([]);
  });

  it.each([
    ['{"server": {"port": 70000}}', /config\.json:1:21.*`hearth config unset server\.port`/],
    ['{"server": ', /config\.json:1:12\)\. Correct the file/],
  ])('names what is wrong in a config.json with %s', async (content, remedy) => {
    await mkdir(home);
    await writeFile(join(home, 'config.json'), content);
    const unexpected = await findUnexpected({
      home,
      folder,
      environment: { HEARTH_SERVER_PORT: '' },
      without: [],
      unaffected: [
        ...withoutHome,
        'server stop',
        'server status',
        'service uninstall',
        'service status',
        'mcp add',
        'mcp ls',
        'mcp rm',
        'doctor',
      ],
      remedy,
      exitCode: 2,
      remedies: {
        'service logs': otherRemedies['service logs'],
        'service restart': otherRemedies['service restart'],
        'store restore': /There is no file/,
        update: otherRemedies.update,
      },
    });
    expect(unexpected).toEqual([]);
  });
});

it.each([
  [['config', 'unset', 'server.port'], {}],
  [['config', 'set', 'server.port', '8080'], { port: 8080 }],
])('%j corrects config.json', async (commandLine, server) => {
  await mkdir(home);
  const file = join(home, 'config.json');
  await writeFile(file, '{"server": {"port": 70000}}');
  const environment = { HEARTH_HOME: home };
  expect(await runCommand(commandLine, { environment })).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ server });
});

describe('without a terminal', () => {
  it.each([
    [['chat'], /Use -p, or pipe the message in\./],
    [['rm', 'local/model'], /use --yes/],
  ])('%j does not ask', async (commandLine, remedy) => {
    const server = await startLoopbackServer((_, response) => response.end('{}'));
    const outcome = await runCommand([...commandLine, '--host', server.url]);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toMatch(remedy);
    await server.close();
  });
});

describe('an interrupted command', () => {
  const commands = [
    ['status'],
    ['chat', 'a/b', '-p', 'Hello!'],
    ['launch', 'codex'],
    ['ls'],
    ['show', 'a/b'],
    ['search', 'llama'],
    ['embed', 'Hello.', '--model', 'a/b'],
    ['bench', 'a/b'],
    ['ps'],
    ['load', 'a/b'],
    ['unload', '--all'],
    ['get', 'a/b'],
    ['download', 'ls'],
    ['download', 'pause', 'job_0123456789'],
    ['download', 'resume', 'job_0123456789'],
    ['download', 'cancel', 'job_0123456789'],
    ['rm', 'a/b', '--yes'],
  ];

  it.each(commands.map((command) => [command]))('%j ends with 130', async (commandLine) => {
    const stopping = new AbortController();
    const server = await startLoopbackServer(() => stopping.abort(new Interruption('SIGINT')));
    const outcome = await runCommand([...commandLine, '--host', server.url], {
      environment: { HEARTH_HOME: home },
      signal: stopping.signal,
    });
    expect(outcome).toMatchObject({ exitCode: 130, stdout: '' });
    expect(outcome.stderr).not.toContain('error:');
    await server.close();
  });
});
