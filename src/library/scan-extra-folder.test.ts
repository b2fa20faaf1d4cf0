import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { plainModel, writeGguf, type GgufTestFile } from '../../test/setup/models/gguf-writer.ts';
import { digestOf, putOllamaBlob, putOllamaTag } from '../../test/setup/models/ollama-store.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createModelLibrary } from './library.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

const signal = new AbortController().signal;
let folder = '';
let logged: string[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  logged = [];
});

function model(file: Partial<GgufTestFile> = {}): Buffer {
  return writeGguf({ ...file, metadata: { ...plainModel, ...file.metadata } });
}
const projector = model({ metadata: { 'general.type': 'mmproj' } });
const named = (name: string) => model({ metadata: { 'general.name': name } });

async function put(path: string, content: string | Buffer = model()): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

function openLibrary() {
  const logger = createLogger('warn', { write: (line) => void logged.push(line) });
  return createModelLibrary({
    roots: [
      { folder: join(folder, 'own') },
      { folder: join(folder, 'extra'), origin: 'extra' },
      { folder: 'models/starter', publisher: 'hearth', origin: 'starter' },
    ],
    logger,
    signal,
  });
}

async function found(library = openLibrary()) {
  const models = await library.list();
  return models
    .filter(({ publisher }) => publisher !== 'hearth')
    .map(({ key, type, variants }) => `${key} ${type} ${variants.map(({ id }) => id).join(',')}`);
}

describe('a folder of another program', () => {
  test('with publishers and repositories', async () => {
    await put('extra/acme/Fine-GGUF/Fine-Q8_0.gguf');
    await put('extra/acme/Fine-GGUF/mmproj-Fine-F16.gguf', projector);
    expect(await found()).toEqual(['acme/fine vlm f16']);
  });

  test('with only files, and with folders of one model', async () => {
    await put('extra/cat-7B.gguf');
    await put('extra/dog.gguf');
    await put('extra/mmproj-dog-F16.gguf', projector);
    await put('extra/mmproj-F16.gguf', projector);
    await put('extra/Bird-GGUF/bird.gguf');
    await put('extra/mlx/config.json', JSON.stringify({ model_type: 'qwen3' }));
    await put('extra/mlx/model.safetensors', 'x');
    const models = await openLibrary().list();
    expect(models.slice(3).map(({ key, type }) => [key, type])).toEqual([
      ['local/bird', 'llm'],
      ['local/cat-7b', 'llm'],
      ['local/dog', 'vlm'],
      ['local/mlx', 'llm'],
    ]);
  });

  test('comes after the own folder and before the starter models', async () => {
    await put('own/acme/fine/fine.gguf', named('mine'));
    await put('extra/acme/fine/fine-other.gguf', named('theirs'));
    await put('extra/hearth/starter-chat/chat.gguf', named('theirs'));
    const library = openLibrary();
    expect((await library.find('acme/fine')).model.displayName).toBe('mine');
    expect((await library.find('hearth/starter-chat')).model.displayName).toBe('theirs');
  });

  test('equal to the own one is read once', async () => {
    await put('own/acme/fine/fine.gguf');
    await symlink(join(folder, 'own'), join(folder, 'extra'));
    expect(await found()).toHaveLength(1);
  });

  test('that is missing is logged once, even if it reappears', async () => {
    const library = openLibrary();
    await library.list();
    await library.list();
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('There is no such folder');
    await put('extra/fine.gguf');
    expect(await found(library)).toHaveLength(1);
    await rm(join(folder, 'extra'), { recursive: true });
    await library.list();
    expect(logged).toHaveLength(2);
  });

  test('that is a file is logged', async () => {
    await put('extra', 'x');
    expect(await found()).toEqual([]);
    expect(logged).toHaveLength(1);
  });

  test('does not show names with control characters', async () => {
    await put('extra/ac\nme/fine/fine.gguf');
    await put('extra/fi\u001bne.gguf');
    expect(await found()).toEqual([]);
  });
});

describe("Ollama's store", () => {
  const store = () => join(folder, 'extra');

  test('has a model for each tag, tags of one quantization each are variants', async () => {
    await mkdir(join(store(), 'blobs'), { recursive: true });
    await putOllamaTag(store(), 'library/tiny:latest', { model: named('a') });
    await putOllamaTag(store(), 'library/tiny:1b', { model: named('b') });
    await putOllamaTag(store(), 'acme/Fine-GGUF:Q8_0', {
      model: model({ tensors: [{ name: 'w', shape: [32, 64], type: 8 }] }),
    });
    await putOllamaTag(store(), 'acme/Fine-GGUF:Q4_0', {
      model: model({ tensors: [{ name: 'w', shape: [32, 64], type: 2 }] }),
    });
    expect(await found()).toEqual([
      'acme/fine llm q4_0,q8_0',
      'library/tiny llm f16',
      'library/tiny-1b llm f16',
    ]);
    expect(logged).toEqual([]);
  });

  test('has the projector of a model, and names a file that two tags share once', async () => {
    const see = { model: named('see'), projector };
    await putOllamaTag(store(), 'library/see:latest', see);
    await putOllamaTag(store(), 'library/see:f16', see);
    const [entry] = await openLibrary()
      .list()
      .then((models) => models.slice(3));
    expect(entry).toMatchObject({ key: 'library/see', type: 'vlm' });
    expect(entry?.variants.map(({ path }) => path)).toEqual([
      join(store(), 'blobs', digestOf(named('see')).replace(':', '-')),
    ]);
    expect(entry?.projectorPath).toBe(
      join(store(), 'blobs', digestOf(projector).replace(':', '-')),
    );
  });

  test('is read again when a tag gets another file', async () => {
    const library = openLibrary();
    await putOllamaTag(store(), 'library/tiny:latest', { model: named('one') });
    expect((await library.list()).at(-1)?.displayName).toBe('one');
    await putOllamaTag(store(), 'library/tiny:latest', { model: named('another') });
    expect((await library.list()).at(-1)?.displayName).toBe('another');
  });

  const layer = (mediaType: string, digest = digestOf(model())) => ({
    mediaType: `application/vnd.ollama.image.${mediaType}`,
    digest,
  });
  test.each([
    ['no JSON', '{'],
    ['no layers', '{}'],
    ['a digest that is a path', { layers: [layer('model', 'sha256:../../../own/secret')] }],
    ['a digest that is too short', { layers: [layer('model', 'sha256:abc')] }],
    ['weights in two parts', { layers: [layer('model'), layer('model')] }],
    ['an adapter', { layers: [layer('model'), layer('adapter')] }],
    ['weights that are not there', { layers: [layer('model', `sha256:${'0'.repeat(64)}`)] }],
    ['more than is read', `{"layers": [${' '.repeat(300_000)}]}`],
  ])('is omitted if a manifest has %s', async (_, manifest) => {
    await putOllamaBlob(store(), model());
    await put('own/secret', model());
    await put(
      'extra/manifests/registry.example/library/bad/latest',
      typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
    );
    await putOllamaTag(store(), 'library/good:latest', { model: named('good') });
    const library = openLibrary();
    expect(await found(library)).toEqual(['library/good llm f16']);
    await library.list();
    expect(logged).toHaveLength(1);
  });

  test('ignores a model without its own weights', async () => {
    await mkdir(join(store(), 'blobs'), { recursive: true });
    await put(
      'extra/manifests/registry.example/library/far/cloud',
      JSON.stringify({ layers: [layer('license')] }),
    );
    expect(await found()).toEqual([]);
    expect(logged).toEqual([]);
  });

  test('of the real starter models', async () => {
    await cp('models/starter', join(folder, 'own/acme'), { recursive: true });
    expect(await found()).toHaveLength(3);
  });
});
