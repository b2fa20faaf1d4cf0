import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { commandTable } from '../command-table.ts';
import { listCommandWords, type CommandWords } from './names.ts';
import { completionScript, shells } from './scripts.ts';

const run = promisify(execFile);
let commands: readonly CommandWords[] = [];
beforeAll(async () => {
  commands = await listCommandWords(commandTable);
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

describe('in bash', () => {
  /** Completes the word at the cursor, with a `hearth` that knows two models. */
  async function complete(...words: readonly string[]): Promise<readonly string[]> {
    const folder = await temporaryFolder();
    const program = join(folder, 'hearth');
    await writeFile(program, '#!/bin/sh\nprintf "me/one\\nme/two\\n"\n');
    await chmod(program, 0o755);
    const file = join(folder, 'completion.bash');
    await writeFile(file, completionScript('bash', commands));
    const line = ['hearth', ...words].map((word) => `'${word}'`).join(' ');
    const script = `source '${file}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _hearth; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', script], {
      env: { PATH: `${folder}:${process.env['PATH']}` },
    });
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('completes commands, options and models', async () => {
    expect(await complete('do')).toEqual(['download', 'doctor']);
    expect(await complete('server', 'st')).toEqual(['start', 'stop', 'status']);
    expect(await complete('load', '--cont')).toEqual(['--context-length']);
    expect(await complete('show', '')).toEqual(['me/one', 'me/two']);
    expect(await complete('chat', 'me/t')).toEqual(['me/two']);
    expect(await complete('load', 'me/one', '--par')).toEqual(['--parallel']);
  });

  it('is a valid script', async () => {
    const { stderr } = await run('bash', ['-n', '-c', completionScript('bash', commands)]);
    expect(stderr).toBe('');
  });
});
