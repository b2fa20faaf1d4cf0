import { expect, it } from 'vitest';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const open = async () => {
  const home = await temporaryFolder();
  return (...commandLine: string[]) =>
    runCommand(['--home', home, 'alias', ...commandLine], { environment: {} });
};

it('refuses a model that is not there, names the nearest one, and sets it with --force', async () => {
  const alias = await open();
  const refused = await alias('set', 'small', 'hearth/starter-chta');
  expect(refused).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'error: Model "hearth/starter-chta" not found. Did you mean hearth/starter-chat? To set the alias before the model is there, add --force.\n',
  });
  expect((await alias('set', 'a', 'zzz')).stderr).toContain('`hearth ls` lists the models.');
  expect((await alias('ls', '--json')).stdout).not.toContain('small');
  expect(await alias('set', 'small', 'hearth/starter-chat')).toMatchObject({ exitCode: 0 });
  expect(await alias('set', 'later', 'acme/later', '--force')).toMatchObject({
    exitCode: 0,
    stdout: 'later is now acme/later\n',
  });
});

it('does not ask for the models of remote servers', async () => {
  const environment = { HEARTH_UPSTREAMS: '{"gpu": {"url": "http://127.0.0.1:9/v1"}}' };
  const home = await temporaryFolder();
  const commandLine = ['--home', home, 'alias', 'set', 'big', 'gpu/llama'];
  expect(await runCommand(commandLine, { environment })).toMatchObject({ exitCode: 0, stderr: '' });
});

it('sets chains of models, with conditions for all but the last', async () => {
  const alias = await open();
  const [chat, vision] = ['hearth/starter-chat', 'hearth/starter-vision'] as const;
  expect(await alias('set', 'coder', chat, vision)).toMatchObject({
    exitCode: 0,
    stdout: `coder is now ${chat}, else ${vision}\n`,
  });
  const chain = [{ model: vision, when: 'loaded', maxWaitSeconds: 2.5 }, chat];
  const set = await alias(
    'set',
    'see',
    vision,
    chat,
    '--when-loaded',
    '--max-wait',
    '2.5',
    '--json',
  );
  expect(JSON.parse(set.stdout)).toEqual({ name: 'see', model: vision, chain });
  expect((await alias('ls')).stdout).toContain(
    `${vision} (when loaded, waits 2.5 s), else ${chat}`,
  );
  expect(JSON.parse((await alias('ls', '--json')).stdout)).toEqual({
    aliases: [
      { name: 'coder', model: chat, chain: [{ model: chat }, { model: vision }] },
      { name: 'see', model: vision, chain: [chain[0], { model: chat }] },
    ],
  });
  expect(await alias('set', 'x', chat, 'acme/none')).toMatchObject({ exitCode: 1 });
  expect(await alias('set', 'x', chat, '--when-loaded')).toMatchObject({ exitCode: 2 });
});
