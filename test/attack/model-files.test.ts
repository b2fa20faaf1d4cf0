import { readFile, rm, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { instancesOf } from '../setup/server/instances.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

let starter: Buffer;
const hearth = useHearth();
beforeAll(async () => {
  starter = await readFile(starterPath('chat'));
});

const load = (model: string, more: Record<string, unknown> = {}) =>
  post(hearth.url, '/api/v1/models/load', { model, ...more });
const keys = async () => {
  const { body } = await get(hearth.url, '/api/v1/models');
  return body.models.map(({ key }: { key: string }) => key);
};
const enginesStarted = () => hearth.log().split('"engine started"').length - 1;

function withTensorCount(count: bigint): Buffer {
  const changed = Buffer.from(starter);
  changed.writeBigUInt64LE(count, 8);
  return changed;
}

describe('a file that is not a model', () => {
  const files: readonly (readonly [string, () => Buffer, RegExp])[] = [
    ['empty', () => Buffer.alloc(0), / is empty\.$/],
    ['cut-in-its-magic', () => starter.subarray(0, 3), / is not a GGUF file\.$/],
    [
      'cut-in-its-header',
      () => starter.subarray(0, 10_000),
      / is truncated: its header continues after its end at byte 10000\.$/,
    ],
    [
      'cut-in-its-weights',
      () => starter.subarray(0, 1_000_000),
      / is truncated: it has 1000000 of \d+ bytes\.$/,
    ],
    ['junk', () => Buffer.alloc(100_000, 'junk'), / is not a GGUF file\.$/],
    ['without-tensors', () => withTensorCount(0n), / holds no tensors\.$/],
    [
      'with-too-many-tensors',
      () => withTensorCount(2n ** 63n),
      / announces \d{19} tensors; at most \d+ are read\.$/,
    ],
  ];

  // covers error-15
  it.each(files)('%s', async (name, bytes, reason) => {
    const key = `bad/${name}`;
    await placeModel(hearth.home, key, bytes());
    expect(await keys()).toEqual([
      'hearth/starter-chat',
      'hearth/starter-embed',
      'hearth/starter-vision',
    ]);
    const answers = [
      await load(key),
      await get(hearth.url, `/api/v1/models/${key}`),
      await post(hearth.url, '/api/v1/chat', { model: key, input: 'Hello!', stream: true }),
    ];
    for (const answer of answers) {
      expectError(answer, { code: 'corrupt_file', message: 'model-q8_0.gguf' });
      expect(answer.body.error.message).toMatch(reason);
    }
  });

  it('starts no engine and is logged once', () => {
    expect(enginesStarted()).toBe(0);
    const complaints = hearth
      .log()
      .split('\n')
      .filter((line) => line.includes('is left out'));
    expect(complaints).toHaveLength(files.length);
  });
});

describe('a model that changes on disk', () => {
  it('is not found if it was deleted after a listing', async () => {
    const path = await placeModel(hearth.home, 'test/brief', starter);
    expect(await keys()).toContain('test/brief');
    await rm(path);
    expectError(await load('test/brief'), {
      code: 'model_not_found',
      param: 'model',
      message: 'no model "test/brief"',
    });
    expect(await keys()).not.toContain('test/brief');
  });

  it('is corrupt if it was overwritten after a listing', async () => {
    const path = await placeModel(hearth.home, 'test/overwritten', starter);
    expect(await keys()).toContain('test/overwritten');
    await writeFile(path, 'junk');
    expectError(await load('test/overwritten'), { code: 'corrupt_file', message: 'model-q8_0' });
  });

  it('keeps working if it was deleted after the load', async () => {
    const path = await placeModel(hearth.home, 'test/loaded', starter);
    expect((await load('test/loaded')).status).toBe(200);
    await rm(path);
    const request = { model: 'test/loaded', input: 'Hello!', store: false };
    expect((await post(hearth.url, '/api/v1/chat', request)).status).toBe(200);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'test/loaded' });
    expect((await post(hearth.url, '/api/v1/chat', request)).status).toBe(404);
  });
});

it('rejects a context that does not fit in memory, with both numbers and without an engine', async () => {
  await placeEndlessModel(hearth.home);
  const before = enginesStarted();
  const context = 500_000_000;
  const answers = [
    await load(endlessModel, { context_length: context }),
    await post(hearth.url, '/api/v1/chat', {
      model: endlessModel,
      input: 'Hello!',
      context_length: context,
    }),
  ];
  for (const answer of answers) {
    expectError(answer, {
      code: 'out_of_memory',
      message: /context of 500000000 tokens needs about [\d.]+ TB, and [\d.]+ [GM]B can be used/,
    });
  }
  expect(enginesStarted()).toBe(before);
  expect(await instancesOf(hearth.url)).toEqual(new Map());
});
