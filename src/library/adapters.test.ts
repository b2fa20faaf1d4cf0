import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { adapterPath } from '../../test/setup/models/adapters.ts';
import { plainModel, writeGguf, type GgufTestFile } from '../../test/setup/models/gguf-writer.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { importModels } from './import/import-models.ts';
import { createModelLibrary } from './library.ts';

const signal = new AbortController().signal;
const pirate = adapterPath('pirate');
let folder = '';
let logged: string[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  logged = [];
});

function openLibrary() {
  const logger = createLogger('warn', { write: (line) => void logged.push(line) });
  const starters = { folder: 'models/starter', publisher: 'hearth', origin: 'starter' } as const;
  return createModelLibrary({ roots: [{ folder }, starters], logger, signal });
}

async function put(path: string, content: Buffer): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

const adapter = {
  'general.architecture': 'llama',
  'general.type': 'adapter',
  'adapter.type': 'lora',
  'adapter.lora.alpha': { float: 8 },
};
const half = (name: string, ...shape: number[]) => ({ name, shape, type: 1 });
const halves = [half('w.lora_a', 32, 4), half('w.lora_b', 4, 64)];

function writeAdapter({ metadata, tensors = halves }: Partial<GgufTestFile> = {}): Buffer {
  return writeGguf({ metadata: { ...adapter, ...metadata }, tensors });
}

function writeModel(...shape: number[]): Buffer {
  return writeGguf({ metadata: plainModel, tensors: [half('w', ...shape)] });
}

describe('an adapter', () => {
  it('does not take the short name of a model', async () => {
    await put('you/Tiny-GGUF/tiny-f16.gguf', writeModel(32, 64));
    await put('me/Tiny-GGUF/tiny-f16.gguf', writeAdapter());
    const library = openLibrary();
    expect((await library.find('tiny')).model.key).toBe('you/tiny');
    await expect(library.find('me/tiny')).rejects.toThrow('me/tiny is an adapter, not a model');
  });

  it('is listed with its base, rank and size, apart from the models', async () => {
    await mkdir(join(folder, 'me', 'Pirate-GGUF'), { recursive: true });
    const path = join(folder, 'me', 'Pirate-GGUF', 'pirate-f16.gguf');
    await copyFile(pirate, path);
    const library = openLibrary();
    const [entry, ...others] = await library.listAdapters();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      key: 'me/pirate',
      displayName: 'Starter Chat Pirate',
      architecture: 'llama',
      baseModel: 'hearth/starter-chat',
      rank: 4,
      path,
    });
    expect(entry?.matrices.get('blk.5.ffn_down.weight')).toEqual({
      inputs: 512,
      outputs: 192,
      experts: 1,
    });
    expect((await library.list()).map(({ key }) => key)).not.toContain('me/pirate');
    await expect(library.find('me/pirate')).rejects.toMatchObject({
      code: 'model_not_found',
      message:
        'me/pirate is an adapter, not a model: add it to the name of its model, as in "publisher/model+me/pirate".',
    });
    const selection = await library.find('starter-chat');
    expect(await library.findAdapter('PIRATE', selection)).toEqual(entry);
    expect(await library.adaptersFor(selection)).toEqual([entry]);
    expect(await library.adaptersFor(await library.find('starter-embed'))).toEqual([]);
    expect(logged).toEqual([]);
  });

  it('beside a model or another adapter has the name of its file', async () => {
    await put('me/tiny/tiny-q8_0.gguf', writeModel(32, 64));
    await put('me/tiny/style.gguf', writeAdapter());
    await put('me/styles/a.gguf', writeAdapter());
    await put('me/styles/b.gguf', writeAdapter());
    const library = openLibrary();
    const keys = (await library.listAdapters()).map(({ key }) => key);
    expect(keys).toEqual(['me/a', 'me/b', 'me/style'].map((key) => key));
    expect((await library.find('me/tiny')).variant.files).toHaveLength(1);
  });

  it.each([
    ['another size', writeModel(32, 32), 'its w is of size 32 × 64, and in me/tiny 32 × 32'],
    [
      'another architecture',
      writeGguf({
        metadata: { ...plainModel, 'general.architecture': 'phi', 'phi.context_length': 9 },
      }),
      'its architecture is llama, and me/tiny has phi',
    ],
    ['no such matrix', writeGguf({ metadata: plainModel }), 'me/tiny has no w'],
  ])('does not fit a model with %s', async (_, model, reason) => {
    const metadata = { 'general.base_model.0.repo_url': 'https://huggingface.co/you/base' };
    await put('me/tiny/tiny-q8_0.gguf', model);
    await put('me/style/style.gguf', writeAdapter({ metadata }));
    const library = openLibrary();
    const selection = await library.find('me/tiny');
    expect(await library.adaptersFor(selection)).toEqual([]);
    await expect(library.findAdapter('me/style', selection)).rejects.toMatchObject({
      code: 'invalid_value',
      message: `me/style, an adapter for you/base, does not fit me/tiny: ${reason}.`,
    });
  });

  it('that is unknown is refused with those that fit', async () => {
    await put('me/tiny/tiny-q8_0.gguf', writeModel(32, 64));
    await put('me/style/style.gguf', writeAdapter());
    const library = openLibrary();
    const find = async (model: string) => library.findAdapter('nothing', await library.find(model));
    await expect(find('me/tiny')).rejects.toMatchObject({
      code: 'adapter_not_found',
      message: expect.stringMatching(/^There is no adapter "nothing"\. .*me\/style/),
    });
    await expect(find('starter-chat')).rejects.toThrow('The library has none for this model.');
  });

  it.each([
    ['lacks a half', { tensors: halves.slice(1) }, 'corrupt_file', 'only one half'],
    [
      'has halves of other ranks',
      { tensors: [half('w.lora_a', 32, 8), half('w.lora_b', 4, 64)] },
      'corrupt_file',
      'other ranks',
    ],
    [
      'has the tensors of a model',
      { tensors: [half('w', 32, 4)] },
      'corrupt_file',
      'which no LoRA has',
    ],
    [
      'has whole numbers',
      { tensors: [{ ...half('w.lora_a', 32, 4), type: 26 }, half('w.lora_b', 4, 64)] },
      'corrupt_file',
      'has I32 tensors',
    ],
    [
      'has a whole number as alpha',
      { metadata: { 'adapter.lora.alpha': 8 } },
      'corrupt_file',
      'not a 32-bit float',
    ],
    [
      'has a tensor with a long name',
      { tensors: [...halves, half('x'.repeat(64), 32)] },
      'corrupt_file',
      'too long',
    ],
    ['is of another kind', { metadata: { 'adapter.type': 'ia3' } }, 'unsupported_format', '"ia3"'],
    [
      'is activated by tokens',
      { metadata: { 'adapter.alora.invocation_tokens': [1] } },
      'unsupported_format',
      'activated LoRA',
    ],
  ] as const)('is not used if it %s', async (_, file, code, reason) => {
    await put('me/bad/bad.gguf', writeAdapter(file));
    const library = openLibrary();
    expect(await library.listAdapters()).toEqual([]);
    const found = library.findAdapter('me/bad', await library.find('starter-chat'));
    await expect(found).rejects.toMatchObject({ code, message: expect.stringContaining(reason) });
    expect(logged.join('')).toContain('A model file is left out of the library');
  });

  it('is imported and removed like a model', async () => {
    const options = { modelsFolder: folder, how: 'copy', signal } as const;
    expect((await importModels({ ...options, path: pirate })).keys).toEqual([
      'local/starter-chat-pirate-lora',
    ]);
    const library = openLibrary();
    const [entry] = await library.listAdapters();
    const { name } = await library.remove(entry?.key ?? '', () => {});
    expect(name).toBe('local/starter-chat-pirate-lora');
    expect(await library.listAdapters()).toEqual([]);
  });
});
