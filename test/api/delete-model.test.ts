import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { instancesOf } from '../setup/server/instances.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

let starter: Buffer;
let extraFolder: string;
const hearth = useHearth(async (home) => {
  starter = await readFile(starterPath('chat'));
  extraFolder = join(home, 'extra');
  await mkdir(extraFolder);
  return { flags: ['--models-extra-dirs', extraFolder] };
});

const remove = (model: string): Promise<ApiAnswer> =>
  get(hearth.url, `/api/v1/models/${model}`, { method: 'DELETE' });
const keys = async (): Promise<string[]> => {
  const { body } = await get(hearth.url, '/api/v1/models');
  return body.models.map(({ key }: { key: string }) => key);
};

describe('DELETE /api/v1/models/{model}', () => {
  // covers v1-model-14
  it('deletes a model from the disk and reports the freed bytes', async () => {
    await placeModel(hearth.home, 'me/one', starter);
    expect(await keys()).toContain('me/one');
    const { status, body } = await remove('me/one');
    expect({ status, body }).toEqual({
      status: 200,
      body: { model: 'me/one', deleted: true, freed_bytes: starter.length },
    });
    expect(await keys()).not.toContain('me/one');
    expect(await readdir(join(hearth.home, 'models'))).toEqual([]);
    expectError(await remove('me/one'), {
      code: 'model_not_found',
      message: '"me/one"',
      param: 'model',
    });
  });

  it('deletes one variant of several', async () => {
    const folder = join(hearth.home, 'models/me/two');
    await placeModel(hearth.home, 'me/two', starter);
    await writeFile(join(folder, 'model-q4_0.gguf'), starter);
    const { body: shown } = await get(hearth.url, '/api/v1/models/me/two');
    expect(shown.variants).toHaveLength(2);
    const { body } = await remove('me/two@model-q8_0');
    expect(body).toEqual({
      model: 'me/two@model-q8_0',
      deleted: true,
      freed_bytes: starter.length,
    });
    expect(await readdir(folder)).toEqual(['model-q4_0.gguf']);
    await remove('me/two');
  });

  // covers v1-model-14, error-9
  it('keeps a model that is loaded, under any of its names, until it is unloaded', async () => {
    await placeModel(hearth.home, 'me/busy', starter);
    await post(hearth.url, '/api/v1/models/load', { model: 'me/busy' });
    for (const model of ['me/busy', 'busy', 'me/busy@q8_0'])
      expectError(await remove(model), {
        code: 'conflict',
        message: 'me/busy is loaded as me/busy. Unload it first: hearth unload me/busy',
        param: 'model',
      });
    expect(await keys()).toContain('me/busy');
    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'me/busy' });
    expect((await remove('me/busy')).status).toBe(200);
  });

  it('keeps a model that is being loaded', async () => {
    await placeModel(hearth.home, 'me/loading', starter);
    const load = post(hearth.url, '/api/v1/models/load', { model: 'me/loading' });
    await expect
      .poll(async () => [...(await instancesOf(hearth.url)).keys()], { interval: 5 })
      .toContain('me/loading');
    expectError(await remove('me/loading'), {
      code: 'conflict',
      message: 'me/loading is loaded as',
      param: 'model',
    });
    expect((await load).status).toBe(200);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'me/loading' });
    expect((await remove('me/loading')).status).toBe(200);
  });

  it('rejects models that are not its own: starter models and those of other folders', async () => {
    expectError(await remove('hearth/starter-chat'), {
      code: 'conflict',
      message: 'comes with Hearth',
      param: 'model',
    });
    await access(starterPath('chat'));
    await writeFile(join(extraFolder, 'theirs.gguf'), starter);
    expectError(await remove('local/theirs'), {
      code: 'conflict',
      message: 'models.extraDirs',
      param: 'model',
    });
    await access(join(extraFolder, 'theirs.gguf'));
  });

  it('deletes once for many concurrent requests, while others list', async () => {
    await placeModel(hearth.home, 'me/race', starter);
    const [lists, ...answers] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, keys)),
      ...Array.from({ length: 8 }, () => remove('me/race')),
    ]);
    expect(lists).toHaveLength(10);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(7);
    expect(await keys()).not.toContain('me/race');
  });

  it.each([
    '..%2f..%2fextra',
    '%2e%2e/%2e%2e/hearth.db',
    'me/..',
    'me%00/x',
    'models',
    `me/${'x'.repeat(400)}`,
  ])('deletes nothing for %s', async (model) => {
    const before = await readdir(hearth.home, { recursive: true });
    const { status } = await remove(model);
    expect([404, 405]).toContain(status);
    expect((await readdir(hearth.home, { recursive: true })).toSorted()).toEqual(before.toSorted());
  });
});
