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
