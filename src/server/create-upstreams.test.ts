import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder, removeFolder } from '../../test/setup/temporary-folder.ts';
import { loadSettings } from '../settings/settings.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createUpstreams, toReplicaMetrics } from './create-upstreams.ts';

async function create(
  fields: object,
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const home = await makeFolder();
  onTestFinished(() => removeFolder(home));
  for (const [name, content] of Object.entries(files)) await writeFile(join(home, name), content);
  const configText = JSON.stringify({
    upstreams: { lab: { url: 'http://ada:pw@lab:8000/v1/', ...fields } },
  });
  const settings = await loadSettings({ home, environment, flags: {}, configText });
  const upstreams = await createUpstreams(settings, {
    home,
    environment,
    logger: createLogger('silent'),
  });
  onTestFinished(() => upstreams.close());
  return upstreams;
}

it('reads the key of a server', async () => {
  expect((await create({ keyFile: 'lab.key' }, { 'lab.key': 'secret\n' })).names).toEqual(['lab']);
  expect((await create({ keyEnv: 'LAB_KEY' }, {}, { LAB_KEY: 'secret' })).names).toEqual(['lab']);
});

it.each([
  ['LAB_KEY is not set', { keyEnv: 'LAB_KEY' }],
  ["no-key can't be read (ENOENT)", { keyFile: 'no-key' }],
  ['is empty', { keyFile: 'empty.key' }],
  ['both keyEnv and keyFile', { keyEnv: 'LAB_KEY', keyFile: 'empty.key' }],
])('reports a key that is not there: %s', async (message, fields) => {
  await expect(create(fields, { 'empty.key': ' \n' })).rejects.toThrow(message);
});

it('shows the replicas without credentials', async () => {
  expect(toReplicaMetrics(await create({}))).toEqual([
    { upstream: 'lab', url: 'http://lab:8000', isAvailable: true, activeRequests: 0 },
  ]);
});
