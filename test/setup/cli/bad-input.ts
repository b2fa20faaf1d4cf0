import { join } from 'node:path';
import { commandTable } from '../../../src/cli/command-table.ts';
import { starterPath } from '../engine/test-engines.ts';
import { projectFolder } from '../project-folder.ts';
import { runCommand } from './run-command.ts';

/** Arguments for the commands that require some. */
const commandArguments = (folder: string): Readonly<Record<string, readonly string[]>> => ({
  'service install': ['--user'],
  'service uninstall': ['--user'],
  'service status': ['--user'],
  'service logs': ['--user'],
  'service restart': ['--user'],
  chat: ['hearth/starter-chat', '-p', 'Hello!'],
  'model show': ['hearth/starter-chat'],
  'model set': ['hearth/starter-chat', '--temperature', '0.5'],
  'model reset': ['hearth/starter-chat'],
  'model import': [`${folder}/presets.json`],
  'presets show': ['poet'],
  'presets set': ['poet', '--temperature', '0.5'],
  'presets rm': ['poet'],
  'presets import': [`${folder}/presets.json`],
  'conversations import': [`${folder}/presets.json`],
  launch: ['codex'],
  show: ['hearth/starter-chat'],
  search: ['llama'],
  embed: ['Hello.'],
  speak: ['--out', `${folder}/speech.wav`],
  bench: ['hearth/starter-chat'],
  load: ['hearth/starter-chat'],
  unload: ['--all'],
  get: ['smollm2-360m'],
  'download pause': ['job_0123456789'],
  'download resume': ['job_0123456789'],
  'download cancel': ['job_0123456789'],
  import: [starterPath('chat')],
  rm: ['local/model', '--yes'],
  'runtime use': ['llama.cpp'],
  'runtime rm': ['llama.cpp'],
  'token create': ['--name', 'laptop'],
  'token edit': ['3f9c01ab27', '--models', 'all'],
  'token rm': ['3f9c01ab27'],
  'token adopt': ['3f9c01ab27'],
  'session rm': ['b41e07d9c2a65f38'],
  'store prune': ['--days', '30'],
  'store copy': [`${folder}/copy.db`],
  'store backup': [`${folder}/backup.db`, '--force'],
  'store restore': [`${folder}/backup.db`],
  'mcp add': ['wiki', 'https://mcp.example/'],
  'mcp rm': ['wiki'],
  'mcp test': ['wiki'],
  'config get': ['server.port'],
  'config set': ['models.ttlSeconds', '60'],
  'config unset': ['models.ttlSeconds'],
  'catalog set': [
    'http://127.0.0.1:9/catalog.json',
    '--key',
    'GyJrJC8rBzsE0yt1Ww8cWBsJPaRV0K8ygIJsEIkTWSE=',
  ],
  'link add': ['192.168.1.20', 'M5WJ0-6SZ3B-8K1QT-0YV2D-4R7XN-9CHGE'],
  'link rm': ['gpu-box'],
  'alias set': ['small', 'hearth/starter-chat'],
  'alias rm': ['small'],
  completion: ['bash'],
  update: ['--feed', 'http://127.0.0.1:9/'],
});

/** Names of all commands, such as `server start`. */
export const commandNames: readonly string[] = commandTable.flatMap((entry) =>
  'load' in entry ? [entry.name] : entry.commands.map(({ name }) => `${entry.name} ${name}`),
);

export interface BadInput {
  readonly home: string;
  /** An existing folder outside of the home folder. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Commands to leave out, since they neither fail nor show a result, such as starting a server. */
  readonly without: readonly string[];
  /** Commands that must succeed, since the bad input does not affect them. */
  readonly unaffected: readonly string[];
  /** Pattern of the error message of all other commands. */
  readonly remedy: RegExp;
  /** Exit code of these failures; 1 by default. */
  readonly exitCode?: number;
  /** Patterns of other error messages, by command. */
  readonly remedies?: Readonly<Record<string, RegExp>>;
}

/** Any existing file, since these tests never start it. */
const entryPoint = join(projectFolder, 'src/cli/main.ts');

/** Other service managers have other messages. */
const isServiceTested = process.platform === 'linux';

/** Runs every command. @returns A line for each command that does not end as expected. */
export async function findUnexpected(input: BadInput): Promise<readonly string[]> {
  const { home, folder, without, unaffected, remedy, remedies = {} } = input;
  const unexpected: string[] = [];
  const environment = {
    // Commands must find nothing outside of the folder, and use no network.
    PATH: folder,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    HEARTH_SERVER_PORT: '9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    ...input.environment,
  };
  for (const name of commandNames) {
    if (without.includes(name) || (name.startsWith('service ') && !isServiceTested)) continue;
    const commandLine = [...name.split(' '), ...(commandArguments(folder)[name] ?? [])];
    const { exitCode, stdout, stderr } = await runCommand(['--home', home, ...commandLine], {
      environment,
      stdin: 'Hello.',
      entryPoint,
    });
    const outcome = `${name}: exit code ${exitCode}, ${JSON.stringify(stderr)}`;
    const expected = unaffected.includes(name) ? undefined : (remedies[name] ?? remedy);
    const isExpected =
      expected === undefined
        ? !stderr.includes('error:') && stdout + stderr !== ''
        : exitCode === (remedies[name] === undefined ? (input.exitCode ?? 1) : 1) &&
          expected.test(stderr) &&
          /^error: .{8}/m.test(stderr) &&
          !/\n +at /.test(stderr);
    if (!isExpected) unexpected.push(outcome);
  }
  return unexpected;
}
