import { cp, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { plainModel, writeGguf, type GgufTestFile } from '../../test/setup/models/gguf-writer.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createModelLibrary } from './library.ts';
import type { ModelRoot } from './scan-repository.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

const signal = new AbortController().signal;
const q8 = { tensors: [{ name: 'w', shape: [32, 64], type: 8 }] };
const q4 = { tensors: [{ name: 'w', shape: [32, 64], type: 2 }] };
let folder = '';
let logged: string[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  logged = [];
});

function openLibrary(roots: readonly ModelRoot[] = [{ folder }]) {
  const logger = createLogger('warn', { write: (line) => void logged.push(line) });
  return createModelLibrary({ roots, logger, signal });
}

async function put(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

function model(file: Partial<GgufTestFile> = {}): Buffer {
  return writeGguf({ ...file, metadata: { ...plainModel, ...file.metadata } });
}

async function keysOf(library = openLibrary()): Promise<string[]> {
  return (await library.list()).map(({ key }) => key);
}

describe('the starter models', () => {
  const library = () => openLibrary([{ folder: 'models/starter', publisher: 'hearth' }]);
  test('are a chat, an embedding and a vision model of the publisher hearth', async () => {
    const models = await library().list();
    expect(models.map(({ key, type, architecture }) => ({ key, type, architecture }))).toEqual([
      { key: 'hearth/starter-chat', type: 'llm', architecture: 'llama' },
      { key: 'hearth/starter-embed', type: 'embeddings', architecture: 'bert' },
      { key: 'hearth/starter-vision', type: 'vlm', architecture: 'llama' },
    ]);
    expect(logged).toEqual([]);
  });

  test('describes the chat model completely', async () => {
    const { model: entry } = await library().find('starter-chat');
    const path = join('models', 'starter', 'starter-chat', 'starter-chat-q8_0.gguf');
    expect(entry).toEqual({
      key: 'hearth/starter-chat',
      publisher: 'hearth',
      displayName: 'starter-chat',
      type: 'llm',
      format: 'gguf',
      architecture: 'llama',
      parameterLabel: '3M',
      maxContextLength: 4096,
      isTrainedForToolUse: true,
      reasoning: { allowedOptions: ['off', 'on'], default: 'on' },
      supportsInfill: false,
      hearsAudio: false,
      projectorPath: null,
      description: null,
      variants: [
        {
          id: 'q8_0',
          quantization: { name: 'Q8_0', bitsPerWeight: 8.52 },
          path,
          files: [path],
          sizeBytes: 3_131_840,
          weights: expect.objectContaining({ inputBytes: 261_120, outputBytes: 261_888 }),
        },
      ],
      projector: null,
      attention: {
        layerCount: 6,
        keyBytesPerToken: 2304,
        valueBytesPerToken: 2304,
        window: null,
        recurrentBytesPerSlot: 0,
      },
      dimensions: {
        embedding: 192,
        feedForward: 512,
        isGated: true,
        heads: 3,
        query: 192,
        keyValue: 192,
        experts: null,
        vocabulary: 1280,
        merges: 1008,
      },
      tokenizer: { keeps: 'bytes', longestTokenBytes: 16 },
    });
  });

  test('include the projector in the size of the vision model', async () => {
    const { model: entry, variant } = await library().find('hearth/starter-vision@q8_0');
    expect(entry.projectorPath).toMatch(/mmproj-starter-vision-f16\.gguf$/);
    expect(variant.files).toHaveLength(1);
    expect(variant.sizeBytes).toBe(3_131_840 + 703_648);
    const reads = { seesImages: true, hearsAudio: false };
    const sizes = { patchSize: 8, patches: 49, embedding: 96, feedForward: 256 };
    expect(entry.projector).toEqual({ sizeBytes: 703_648, ...reads, ...sizes });
  });

  test('have no cache to estimate for the embedding model', async () => {
    const { model: entry } = await library().find('starter-embed');
    expect(entry).toMatchObject({ parameterLabel: '1.7M', maxContextLength: 512, attention: null });
  });
});

// covers server-9
describe('the content of a folder', () => {
  test('quantizations are variants of one model, the usual one first', async () => {
    for (const level of ['Q8_0', 'Q4_0', 'UD-Q4_K_XL', 'Q4_K_M'])
      await put(`Acme/Fine-GGUF/Fine-${level}.gguf`, model(level === 'Q8_0' ? q8 : q4));
    const [entry] = await openLibrary().list();
    expect(entry).toMatchObject({ key: 'acme/fine', publisher: 'Acme', displayName: 'Fine' });
    expect(entry?.variants.map(({ id }) => id)).toEqual(['q4_k_m', 'q4_k_xl', 'q4_0', 'q8_0']);
    expect(entry?.variants.at(-1)?.quantization).toEqual({ name: 'Q8_0', bitsPerWeight: 8.5 });
  });

  test('variants of the same level in two folders stay separate', async () => {
    await put('acme/fine/fine-Q8_0.gguf', model(q8));
    await put('acme/fine/other/fine-Q8_0.gguf', model(q8));
    const [entry] = await openLibrary().list();
    expect(entry?.variants.map(({ id }) => id)).toEqual(['q8_0', 'fine-q8_0']);
  });

  test('different models in one folder are separate models', async () => {
    await put('acme/both/cat-Q8_0.gguf', model());
    await put('acme/both/dog-Q8_0.gguf', model());
    await put('acme/both/mmproj-dog-F16.gguf', model({ metadata: { 'general.type': 'mmproj' } }));
    const models = await openLibrary().list();
    expect(models.map(({ key, type }) => [key, type])).toEqual([
      ['acme/cat', 'llm'],
      ['acme/dog', 'vlm'],
    ]);
  });

  test('a split model is one variant, with the weights of all its parts', async () => {
    await put(
      'acme/big/big-Q8_0-00001-of-00002.gguf',
      model({ metadata: { 'split.count': 2 }, tensors: [] }),
    );
    const second = writeGguf({ metadata: { 'split.no': 1, 'split.count': 2 }, ...q8 });
    await put('acme/big/big-Q8_0-00002-of-00002.gguf', second);
    const [entry] = await openLibrary().list();
    const [variant] = entry?.variants ?? [];
    expect(entry?.parameterLabel).toBe('2K');
    expect(variant?.quantization).toEqual({ name: 'Q8_0', bitsPerWeight: 8.5 });
    expect(variant?.path).toMatch(/00001-of-00002\.gguf$/);
    expect(variant?.files).toHaveLength(2);
  });

  test('an incomplete split model is omitted', async () => {
    await put('acme/big/big-00001-of-00003.gguf', model({ metadata: { 'split.count': 3 } }));
    await put('acme/big/big-00003-of-00003.gguf', writeGguf({ metadata: { 'split.no': 2 } }));
    const library = openLibrary();
    expect(await keysOf(library)).toEqual([]);
    await expect(library.find('acme/big')).rejects.toMatchObject({
      code: 'corrupt_file',
      message: expect.stringContaining('part 2 of 3 is missing'),
    });
  });

  test('of several projectors the f16 one is taken', async () => {
    await put('acme/see/see-Q8_0.gguf', model());
    for (const level of ['BF16', 'F16', 'F32'])
      await put(
        `acme/see/mmproj-${level}.gguf`,
        model({ metadata: { 'general.architecture': 'clip' } }),
      );
    const [entry] = await openLibrary().list();
    expect(entry?.projectorPath).toMatch(/mmproj-F16\.gguf$/);
  });

  test('matrices, lone projectors and other files are not models', async () => {
    await put('acme/some/matrix.gguf', model({ metadata: { 'general.type': 'imatrix' } }));
    await put('acme/more/mmproj-F16.gguf', model({ metadata: { 'general.type': 'mmproj' } }));
    await put('acme/text/README.md', '# nothing');
    await put('stray.gguf', model());
    await put('acme/.hidden/model.gguf', model());
    expect(await keysOf()).toEqual([]);
    expect(logged).toEqual([]);
  });

  test('an embedding model made of a language model, and one that fills gaps', async () => {
    await put('acme/embed/e.gguf', model({ metadata: { 'llama.pooling_type': 3 } }));
    const tokens = { fim_pre: 1, fim_suf: 2, fim_mid: 3 };
    const metadata = Object.fromEntries(
      Object.entries(tokens).map(([name, id]) => [`tokenizer.ggml.${name}_token_id`, id]),
    );
    await put('acme/infill/i.gguf', model({ metadata }));
    const [embed, infill] = await openLibrary().list();
    expect(embed).toMatchObject({ type: 'embeddings', supportsInfill: false });
    expect(infill).toMatchObject({ type: 'llm', supportsInfill: true });
  });

  test('names from a header lose what could mislead a terminal', async () => {
    const metadata = { 'general.name': 'Nice\u001b[2J\u202emodel', 'general.description': '\n' };
    await put('acme/nice/nice.gguf', model({ metadata }));
    const [entry] = await openLibrary().list();
    expect(entry).toMatchObject({ displayName: 'Nice [2J model', description: null });
  });

  test('an MLX folder is a model of that format', async () => {
    const config = {
      model_type: 'qwen3',
      max_position_embeddings: 40_960,
      quantization: { bits: 4, group_size: 64 },
    };
    await put('mlx-community/Qwen3-4bit/config.json', JSON.stringify(config));
    await put('mlx-community/Qwen3-4bit/model.safetensors', 'x'.repeat(100));
    await put('mlx-community/Qwen3-4bit/chat_template.jinja', '{% if tools %}{% endif %}');
    const [entry] = await openLibrary().list();
    expect(entry).toMatchObject({
      key: 'mlx-community/qwen3-4bit',
      format: 'mlx',
      type: 'llm',
      architecture: 'qwen3',
      maxContextLength: 40_960,
      isTrainedForToolUse: true,
      variants: [{ id: '4bit', quantization: { name: '4bit', bitsPerWeight: 4 }, sizeBytes: 100 }],
    });
  });

  test.each([
    ['is not JSON', '{', 'model.safetensors'],
    ['no usable model_type', '{"model_type": "../x"}', 'model.safetensors'],
    ['lacks model-00002-of-00002', '{"model_type": "a"}', 'model-00001-of-00002.safetensors'],
  ])('an MLX folder that %s is omitted', async (reason, config, weights) => {
    await put('acme/mlx/config.json', config);
    await put(`acme/mlx/${weights}`, 'x');
    await expect(openLibrary().find('acme/mlx')).rejects.toThrow(reason);
  });
});

describe('keys', () => {
  test('that collide are told apart by the file name, then by number', async () => {
    await put('acme/Fine/one.gguf', model());
    await put('acme/Fine-GGUF/one.gguf', model());
    await put('Acme/fine/two.gguf', model());
    expect(await keysOf()).toEqual(['acme/fine', 'acme/one', 'acme/one-2'].toSorted());
  });

  test('two paths that differ in case only are two models', async () => {
    await put('acme/fine/fine.gguf', model());
    await put('acme/FINE/FINE.gguf', model());
    expect(await keysOf()).toEqual(['acme/fine', 'acme/fine-2']);
  });

  test('of the first root win', async () => {
    await put('first/fine/fine.gguf', model({ metadata: { 'general.name': 'mine' } }));
    await put('second/acme/fine/fine.gguf', model({ metadata: { 'general.name': 'theirs' } }));
    const roots = [
      { folder: join(folder, 'first'), publisher: 'acme' },
      { folder: join(folder, 'second') },
    ];
    const { model: entry } = await openLibrary(roots).find('acme/fine');
    expect(entry.displayName).toBe('mine');
  });
});

describe('find', () => {
  beforeEach(async () => {
    await put('acme/Fine-GGUF/Fine-Q4_0.gguf', model(q4));
    await put('acme/Fine-GGUF/Fine-Q8_0.gguf', model(q8));
    await put('acme/twin/twin.gguf', model());
    await put('other/twin/twin.gguf', model());
  });

  test.each([
    ['acme/fine', 'q4_0'],
    ['ACME/Fine', 'q4_0'],
    ['fine', 'q4_0'],
    ['acme/fine@q8_0', 'q8_0'],
    ['Fine@Q8_0', 'q8_0'],
  ])('%s is the variant %s', async (identifier, variantId) => {
    const { model: entry, variant } = await openLibrary().find(identifier);
    expect([entry.key, variant.id]).toEqual(['acme/fine', variantId]);
  });

  test.each([
    ['none', 'There is no model "none". There are "acme/fine", "acme/twin" and "other/twin".'],
    ['other/fine', 'There is no model "other/fine".'],
    ['Other/Fine@Q4', 'There is no model "Other/Fine@Q4".'],
    ['fine@q2_k', 'acme/fine has no variant "q2_k". There are "q4_0" and "q8_0".'],
    ['twin', '"twin" may mean acme/twin, other/twin: give the whole key.'],
    ['../acme/fine', 'There is no model "../acme/fine".'],
    ['', 'There is no model "".'],
  ])('%j is not found', async (identifier, message) => {
    await expect(openLibrary().find(identifier)).rejects.toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining(message),
    });
  });

  test('detects at once that a file was added, replaced or removed', async () => {
    const library = openLibrary();
    await library.find('acme/fine');
    await put('acme/new/new.gguf', model());
    expect((await library.find('new')).model.maxContextLength).toBe(2048);
    await put('acme/new/new.gguf', model({ metadata: { 'llama.context_length': 512 } }));
    await utimes(join(folder, 'acme/new/new.gguf'), 1, 1);
    expect((await library.find('new')).model.maxContextLength).toBe(512);
    await rm(join(folder, 'acme/new/new.gguf'));
    await expect(library.find('new')).rejects.toMatchObject({ code: 'model_not_found' });
  });
});

describe('files that cannot be used', () => {
  test('are omitted, logged once, and found with the reason', async () => {
    await put('acme/bad/bad-Q8_0.gguf', model().subarray(0, -10));
    await put('acme/good/good.gguf', model());
    const library = openLibrary();
    expect(await keysOf(library)).toEqual(['acme/good']);
    await library.list();
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('bad-Q8_0.gguf is truncated');
    for (const identifier of ['acme/bad', 'bad', 'acme/bad@q8_0'])
      await expect(library.find(identifier)).rejects.toMatchObject({ code: 'corrupt_file' });
    await put('acme/bad/bad-Q8_0.gguf', 'still bad');
    await library.list();
    expect(logged).toHaveLength(2);
    await put('acme/bad/bad-Q8_0.gguf', model());
    expect(await keysOf(library)).toEqual(['acme/bad', 'acme/good']);
  });

  test('do not hide the good variants beside them', async () => {
    await put('acme/fine/fine-Q4_0.gguf', '');
    await put('acme/fine/fine-Q8_0.gguf', model(q8));
    const library = openLibrary();
    expect((await library.find('acme/fine')).variant.id).toBe('q8_0');
    await expect(library.find('acme/fine@q4_0')).rejects.toThrow('fine-Q4_0.gguf is empty');
  });

  test('are also projectors; the model is listed without vision', async () => {
    await put('acme/see/see.gguf', model());
    await put('acme/see/mmproj-F16.gguf', 'junk');
    const [entry] = await openLibrary().list();
    expect(entry).toMatchObject({ type: 'llm', projectorPath: null });
    expect(logged).toHaveLength(1);
  });

  test.each([
    ['general.architecture', { 'general.architecture': '../../x' }],
    ['llama.context_length', { 'llama.context_length': 0 }],
  ])('are also those without a usable %s', async (key, metadata) => {
    await put('acme/odd/odd.gguf', model({ metadata }));
    await expect(openLibrary().find('odd')).rejects.toThrow(`has no usable ${key}`);
  });
});

describe('the scan', () => {
  test('of a missing folder finds nothing', async () => {
    expect(await keysOf(openLibrary([{ folder: join(folder, 'none') }]))).toEqual([]);
    expect(logged).toEqual([]);
  });

  test('follows links to files and folders, including broken and cyclic ones', async () => {
    await put('outside/model.gguf', model());
    await mkdir(join(folder, 'in/acme/file'), { recursive: true });
    await symlink(join(folder, 'outside/model.gguf'), join(folder, 'in/acme/file/model.gguf'));
    await symlink(join(folder, 'outside'), join(folder, 'in/acme/folder'));
    await symlink(join(folder, 'gone'), join(folder, 'in/acme/file/gone.gguf'));
    await symlink(join(folder, 'in'), join(folder, 'in/acme/circle'));
    const keys = await keysOf(openLibrary([{ folder: join(folder, 'in') }]));
    expect(keys).toEqual(['acme/file', 'acme/folder']);
  });

  test('is shared by concurrent calls, and includes earlier changes', async () => {
    const library = openLibrary();
    const before = library.list();
    await put('acme/late/late.gguf', model());
    const after = await Promise.all(Array.from({ length: 20 }, () => library.list()));
    await before;
    expect(new Set(after).size).toBe(1);
    expect(after[0]?.map(({ key }) => key)).toEqual(['acme/late']);
  });

  test('survives a model that is moved during the scan', async () => {
    await cp('models/starter', join(folder, 'acme'), { recursive: true });
    const library = openLibrary();
    await Promise.all([
      library.list(),
      rename(join(folder, 'acme/starter-chat'), join(folder, 'acme/moved')),
    ]);
    expect(await keysOf(library)).toContain('acme/moved');
  });
});
