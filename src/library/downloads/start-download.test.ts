import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { HearthError } from '../../kernel/errors/errors.ts';
import {
  begin,
  chunkBytes,
  planOf,
  repositoryName,
  setUpDownloads,
  untilEnded,
  untilJob,
} from '../../../test/setup/downloads/download-setup.ts';

const file = 'tiny-Q4_K_M.gguf';
const sizeBytes = 6 * chunkBytes + 99;
const oneFile = { [file]: { sizeBytes, seed: 1 } };

it('downloads a changed repository again, even with equal sizes', async () => {
  const setup = await setUpDownloads(oneFile);
  const manager = setup.manager();
  await untilEnded(manager, (await begin(manager)).id);
  const files = { [file]: { sizeBytes, seed: 2 } };
  setup.hub.addRepository({ name: repositoryName, files });
  const { id } = await begin(manager);
  const ended = await untilEnded(manager, id);
  expect(ended).toMatchObject({ status: 'failed', failure: { code: 'conflict' } });
  await rm(setup.target(file));
  expect(await begin(manager)).toMatchObject({ id });
  expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
  expect(await setup.isRight(file)).toBe(true);
});

it('allows concurrent downloads to share a file, such as a projector', async () => {
  const projector = 'mmproj-f16.gguf';
  const setup = await setUpDownloads({
    'tiny-Q4_K_M.gguf': { sizeBytes, seed: 1 },
    'tiny-Q8_0.gguf': { sizeBytes, seed: 2 },
    [projector]: { sizeBytes: chunkBytes, seed: 3 },
  });
  setup.hub.faults.add({ kind: 'silence', path: 'tiny-Q4_K_M.gguf' });
  setup.hub.faults.add({ kind: 'silence', path: 'tiny-Q8_0.gguf' });
  const manager = setup.manager({
    plan: async ({ model }) => planOf(setup.hub, model, [projector, `tiny-${model}.gguf`]),
    // Enough connections that one is left for the projector while the others are silent.
    transfer: { connectionsPerJob: 8 },
  });
  const ids = [(await begin(manager, 'Q4_K_M')).id, (await begin(manager, 'Q8_0')).id];
  for (const id of ids) {
    await untilJob(manager, id, ({ downloadedBytes }) => downloadedBytes >= chunkBytes);
  }
  setup.hub.faults.clear();
  for (const id of ids) {
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
  }
  expect(await setup.isRight(projector)).toBe(true);
});

it('starts nothing for an aborted request', async () => {
  const setup = await setUpDownloads(oneFile);
  const leaving = new AbortController();
  const manager = setup.manager({
    plan: async ({ model }) => {
      leaving.abort(new Error('gone'));
      return planOf(setup.hub, model, [file]);
    },
  });
  await expect(manager.start({ model: repositoryName }, leaving.signal)).rejects.toThrow('gone');
  expect(await manager.list()).toEqual([]);
});

it('needs no hub for present files', async () => {
  const setup = await setUpDownloads(oneFile);
  const unreachable = new HearthError('hub_unreachable', 'no hub');
  let isOnline = true;
  const manager = setup.manager({
    plan: async ({ model }) => {
      if (!isOnline) throw unreachable;
      return planOf(setup.hub, model, [file]);
    },
  });
  await untilEnded(manager, (await begin(manager)).id);
  isOnline = false;
  const ask = (model: string) => manager.start({ model }, new AbortController().signal);
  expect(await ask(repositoryName)).toMatchObject({ kind: 'already_downloaded' });
  await expect(ask('other/model')).rejects.toBe(unreachable);
  await rm(setup.target(file));
  await expect(ask(repositoryName)).rejects.toBe(unreachable);
});
