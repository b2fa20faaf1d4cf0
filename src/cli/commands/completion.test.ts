import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { commandTable } from '../command-table.ts';
import {
  listCommandWords,
  completionScript,
  shells,
  type CommandWords,
  type Shell,
} from './completion.ts';

const run = promisify(execFile);
let commands: readonly CommandWords[] = [];
beforeAll(async () => {
  commands = await listCommandWords(commandTable);
});

it('names a shell that it does not know', async () => {
  const { exitCode, stderr } = await runCommand(['completion', 'tcsh']);
  expect([exitCode, stderr]).toEqual([
    2,
    'error: Unknown shell "tcsh". Allowed: bash, zsh, fish.\n',
  ]);
});

it('knows the commands, options and models of the command table', () => {
  const find = (path: string) => commands.find((command) => command.path === path);
  expect(find('')?.commands.map(([name]) => name)).toContain('doctor');
  expect(find('server')?.commands.map(([name]) => name)).toEqual(['start', 'stop', 'status']);
  expect(find('load')?.options.map(([name]) => name)).toContain('--context-length');
  expect([find('show')?.takesModel, find('run')?.takesModel, find('doctor')?.takesModel]).toEqual([
    true,
    true,
    false,
  ]);
});

it.each(shells)('has no text of a summary in %s that the shell could run', (shell) => {
  const hostile: CommandWords = {
    path: 'x',
    commands: [],
    options: [['--a', "it's $(touch /tmp/hacked) `id` \\"]],
    takesModel: false,
  };
  const script = completionScript(shell, [hostile]);
  expect(script).not.toMatch(/^[^'#]*(?:'[^']*'[^'#]*)*\$\(touch/m);
});

/** Installs a `hearth` that knows two models, and the completion script of a shell. */
async function prepare(shell: Shell) {
  const folder = await temporaryFolder();
  const program = join(folder, 'hearth');
  await writeFile(program, '#!/bin/sh\nprintf "me/one\\nme/two\\n"\n');
  await chmod(program, 0o755);
  const file = join(folder, `completion.${shell}`);
  await writeFile(file, completionScript(shell, commands));
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, LC_ALL: 'C.UTF-8' };
  return { file, env };
}

type Complete = (...words: readonly string[]) => Promise<readonly string[]>;
const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** Functions that complete the word before the cursor. */
const completions: Readonly<Record<Shell, Complete>> = {
  bash: async (...words) => {
    const { file, env } = await prepare('bash');
    const line = quoted(['hearth', ...words]);
    const script = `source '${file}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _hearth; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf((await run('bash', ['--norc', '-c', script], { env })).stdout);
  },
  // zsh's line editor needs a terminal. Its functions that receive the candidates are replaced by ones that print them.
  zsh: async (...words) => {
    const { file, env } = await prepare('zsh');
    const script = `compdef() { : }
compadd() { print -rl -- "\${(@P)argv[-1]}" }
_describe() { print -rl -- "\${(@)\${(@P)2}%%:*}" }
source '${file}'
words=(${quoted(['hearth', ...words])}) CURRENT=${words.length + 1}
_hearth`;
    const candidates = linesOf((await run('zsh', ['-f', '-c', script], { env })).stdout);
    return candidates.filter((each) => each.startsWith(words.at(-1) ?? ''));
  },
  fish: async (...words) => {
    const { file, env } = await prepare('fish');
    const script = `source '${file}'; complete -C '${['hearth', ...words].join(' ')}'`;
    const { stdout } = await run('fish', ['--no-config', '-c', script], { env });
    return linesOf(stdout).map((line) => line.split('\t')[0] ?? '');
  },
};

describe.each(shells)('in %s', (shell) => {
  const complete = completions[shell];
  beforeEach(async ({ skip }) => {
    const isInstalled = await run(shell, ['-c', 'true']).then(
      () => true,
      () => false,
    );
    skip(!isInstalled, `${shell} is not installed (on Debian: apt-get install ${shell})`);
  });

  it('completes commands, options and models', async () => {
    expect(new Set(await complete('do'))).toEqual(new Set(['download', 'doctor']));
    expect(new Set(await complete('server', 'st'))).toEqual(new Set(['start', 'stop', 'status']));
    expect(await complete('load', '--cont')).toEqual(['--context-length']);
    expect(await complete('show', '')).toEqual(['me/one', 'me/two']);
    expect(await complete('chat', 'me/t')).toEqual(['me/two']);
    expect(await complete('load', 'me/one', '--par')).toEqual(['--parallel']);
  });

  it('is a valid script', async () => {
    const { file, env } = await prepare(shell);
    const { stderr } = await run(shell, ['-n', file], { env });
    expect(stderr).toBe('');
  });
});
