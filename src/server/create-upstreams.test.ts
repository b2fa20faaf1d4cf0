import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder, removeFolder } from '../../test/setup/temporary-folder.ts';
import { loadSettings } from '../settings/settings.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createUpstreams } from './create-upstreams.ts';
import { toReplicaMetrics } from './engine-metrics.ts';

async function create(
  fields: object,
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
  others: object = {},
) {
  const home = await makeFolder();
  onTestFinished(() => removeFolder(home));
  for (const [name, content] of Object.entries(files)) await writeFile(join(home, name), content);
  const configText = JSON.stringify({
    upstreams: { lab: { url: 'http://ada:pw@lab:8000/v1/', ...fields }, ...others },
  });
  const settings = await loadSettings({ home, environment, flags: {}, configText });
  const cleanups: (() => unknown)[] = [];
  const logger = createLogger('silent');
  const created = await createUpstreams(settings, { home, environment, logger, cleanups });
  for (const close of cleanups) onTestFinished(async () => void (await close()));
  return created;
}

it('reads the key of a server', async () => {
  expect((await create({ keyFile: 'lab.key' }, { 'lab.key': 'secret\n' })).upstreams.names).toEqual(
    ['lab'],
  );
  expect((await create({ keyEnv: 'LAB_KEY' }, {}, { LAB_KEY: 'secret' })).upstreams.names).toEqual([
    'lab',
  ]);
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
  expect(toReplicaMetrics((await create({})).upstreams)).toEqual([
    { upstream: 'lab', url: 'http://lab:8000', isAvailable: true, activeRequests: 0 },
  ]);
});

it('serves no models of a server that speaks, of which there is one', async () => {
  const { upstreams, speech } = await create({ speech: 'kokoro' });
  expect(upstreams.names).toEqual([]);
  expect(speech).toMatchObject({ maxConcurrent: 64 });
  expect((await create({})).speech).toBeUndefined();
  const other = { other: { url: 'http://other/v1', speech: 'tts-1' } };
  await expect(create({ speech: 'kokoro' }, {}, {}, other)).rejects.toThrow(
    'upstreams.other: another server has "speech". Remove one of them.',
  );
});
