import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openSqlite } from '../../src/platform/sqlite.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

// covers cli-14
it('backs up, prunes, restores and rewrites the database', async () => {
  const { home } = hearth;
  const backup = join(home, 'backup.db');
  const run = (...words: readonly string[]) => runHearth(['store', ...words], { home });
  await post(hearth.url, '/api/v1/chat', { model: 'hearth/starter-chat', input: 'Hello!' });

  expect(await run('backup', backup)).toMatchObject({ exitCode: 0 });
  expect(await run('backup', backup)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--force'),
  });
  expect(await run('prune')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('store.retentionDays'),
  });
  const pruned = await run('prune', '--max-bytes', '0', '--json');
  expect(JSON.parse(pruned.stdout)).toMatchObject({ deleted: 1 });
  const { body } = await get(hearth.url, '/api/v1/conversations');
  expect(body.conversations).toEqual([]);
  for (const command of [['vacuum'], ['restore', backup]]) {
    expect(await run(...command)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('hearth server stop'),
    });
  }

  await hearth.stop();
  expect(await run('restore', backup)).toMatchObject({ exitCode: 0 });
  expect(await run('vacuum')).toMatchObject({ exitCode: 0 });
  const database = openSqlite(join(home, 'hearth.db'), { isReadOnly: true });
  const rows = database.prepare('select title from conversations').all();
  database.close();
  expect(rows).toMatchObject([{ title: 'Hello!' }]);
});
