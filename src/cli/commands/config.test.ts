import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

async function openHome() {
  const home = await temporaryFolder();
  return {
    run: (...commandLine: string[]) =>
      runCommand(['config', ...commandLine], { environment: { HEARTH_HOME: home } }),
    settings: async () =>
      JSON.parse(await readFile(join(home, 'config.json'), 'utf8').catch(() => '{}')) as unknown,
  };
}

it('sets and removes settings together that are not valid alone', async () => {
  const { run, settings } = await openHome();
  const [certificate, key] = ['server.tls.cert', 'server.tls.key'];
  const alone = await run('set', certificate, '/cert.pem');
  expect(alone).toMatchObject({ exitCode: 2 });
  expect(alone.stderr).toContain('set or remove them together');
  expect(await run('set', certificate, '/cert.pem', key, '/key.pem')).toMatchObject({
    exitCode: 0,
    stdout: 'Changed server.tls.cert\nChanged server.tls.key\n',
  });
  expect(await settings()).toEqual({ server: { tls: { cert: '/cert.pem', key: '/key.pem' } } });
  expect(await run('unset', certificate)).toMatchObject({ exitCode: 2 });
  expect(await run('unset', certificate, key)).toMatchObject({ exitCode: 0 });
});

it('sets all or none', async () => {
  const { run, settings } = await openHome();
  const set = async (...more: string[]) => run('set', 'models.ttlSeconds', '60', ...more);
  expect(await set('server.port')).toMatchObject({ exitCode: 2 });
  expect(await set('models.ttlSeconds', '70')).toMatchObject({ exitCode: 2 });
  expect(await set('server.prot', '1')).toMatchObject({ exitCode: 2 });
  expect(await set('server.port', '70000')).toMatchObject({ exitCode: 2 });
  expect(await settings()).toEqual({});
});
