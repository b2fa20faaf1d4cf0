import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { plainModel, writeGguf } from '../../../../test/setup/models/gguf-writer.ts';
import { modelEntry } from '../../../../test/setup/models/model-entry.ts';
import { createModelLibrary } from '../../../library/library.ts';
import { noEvents } from '../../../kernel/events/server-events.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { createTestApp } from '../../../../test/setup/http/test-app.ts';
import type { ApiServices } from '../../services.ts';
import { mountDeleteModel, mountModels } from './models.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'Acme/Fine-GGUF'), { recursive: true });
  await writeFile(join(folder, 'Acme/Fine-GGUF/fine.gguf'), writeGguf({ metadata: plainModel }));
});

/** Deletes `acme/fine` while these models are downloaded. */
async function deleteDuring(
  downloading: readonly string[],
  authorization?: string,
  model = 'acme/fine',
) {
  const logger = createLogger('silent');
  const { signal } = new AbortController();
  const library = createModelLibrary({ roots: [{ folder }], logger, signal });
  const { app } = createTestApp({
    v1Routes: (target) =>
      mountDeleteModel(target, {
        libraryFor: () => library,
        downloads: { isUnderWay: async (name: string) => downloading.includes(name) },
        pool: { list: () => [] },
        events: noEvents,
        logger,
      } as unknown as ApiServices),
  });
  const headers = { host: '127.0.0.1', ...(authorization && { authorization }) };
  const answer = await app.request(`/api/v1/models/${model}`, { method: 'DELETE', headers });
  return { status: answer.status, body: await answer.json() };
}

it.each(['acme/fine-gguf', 'acme/fine'])('keeps a model while %s is downloaded', async (name) => {
  expect(await deleteDuring([name])).toMatchObject({
    status: 409,
    body: { error: { code: 'conflict', message: expect.stringContaining('being downloaded') } },
  });
  expect(await readdir(folder)).toEqual(['Acme']);
});

it.each(['acme/New', 'acme/new@q8_0'])(
  'says that %s is downloaded before the library has it',
  async (model) => {
    expect(await deleteDuring(['acme/new'], undefined, model)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', message: expect.stringContaining('acme/new is being') } },
    });
    expect(await deleteDuring([], undefined, model)).toMatchObject({ status: 404 });
  },
);

it('deletes it while another is', async () => {
  expect(await deleteDuring(['acme/other'])).toMatchObject({
    status: 200,
    body: { model: 'acme/fine', deleted: true },
  });
  expect(await readdir(folder)).toEqual([]);
});

it('lists the instances once for all models', async () => {
  const list = vi.fn<() => readonly []>(() => []);
  const models = ['acme/a', 'acme/b', 'acme/c'].map((key) => modelEntry({ key }));
  const { app } = createTestApp({
    v1Routes: (target) =>
      mountModels(target, {
        libraryFor: () => ({ list: async () => models }),
        modelSettings: { profiles: () => [], inForce: () => ({}) },
        pool: { list },
      } as unknown as ApiServices),
  });
  const answer = await app.request('/api/v1/models', { headers: { host: '127.0.0.1' } });
  expect(await answer.json()).toMatchObject({ models: models.map(({ key }) => ({ key })) });
  expect(list).toHaveBeenCalledTimes(1);
});

it('needs the permission to write models', async () => {
  expect((await deleteDuring([], 'Bearer models:read,chat')).status).toBe(403);
  expect((await deleteDuring([], 'Bearer models:write')).status).toBe(200);
});
