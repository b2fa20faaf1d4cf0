import {
  copyFile,
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { starterPath } from '../../../test/setup/engine/test-engines.ts';
import { digestOf, putOllamaTag } from '../../../test/setup/models/ollama-store.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { createModelLibrary } from '../library.ts';
import { importFromProgram, listProgramModels, type ImportProgram } from './import-program.ts';

const signal = new AbortController().signal;
const chat = starterPath('chat');
const vision = starterPath('vision');
let home = '';
let modelsFolder = '';

beforeEach(async () => {
  home = await temporaryFolder();
  modelsFolder = join(home, 'library');
});

function optionsFor(program: ImportProgram, folder: string) {
  return { program, folder, modelsFolder, environment: {}, signal };
}

async function put(path: string, content: string | Buffer): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function putFile(path: string, source: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await copyFile(source, path);
}

async function projectorOf(model: string): Promise<string> {
  const names = await readdir(dirname(model));
  return join(dirname(model), names.find((name) => name.startsWith('mmproj')) ?? '');
}

/** All files below a folder with their sizes and times. */
async function snapshot(folder: string) {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names.toSorted().map(async (name) => {
      const { size, mtimeMs, mode } = await lstat(join(folder, name));
      return { name, size, mtimeMs, mode };
    }),
  );
}

function openLibrary(reasons: string[] = []) {
  const logger = createLogger('warn', { write: (line) => void reasons.push(line) });
  return createModelLibrary({ roots: [{ folder: modelsFolder }], logger, signal });
}

interface Kept {
  readonly folder: string;
  readonly models: readonly {
    key: string;
    quantizations: string[];
    license?: string | null;
    files: string[];
    type?: string;
  }[];
}

const layouts: Readonly<Record<ImportProgram, () => Promise<Kept>>> = {
  async ollama() {
    const folder = join(home, '.ollama/models');
    const model = await readFile(vision);
    const projector = await readFile(await projectorOf(vision));
    await putOllamaTag(folder, 'library/seer:latest', { model, projector });
    const talker = await readFile(chat);
    await putOllamaTag(folder, 'me/talker:1b-q8_0', { model: talker });
    return {
      folder,
      models: [
        {
          key: 'library/seer',
          quantizations: ['Q8_0'],
          license: 'free',
          files: ['library/seer/mmproj-seer.gguf', 'library/seer/seer.gguf'],
          type: 'vlm',
        },
        {
          key: 'me/talker-1b',
          quantizations: ['Q8_0'],
          license: 'free',
          files: ['me/talker-1b/talker-1b-q8_0.gguf'],
        },
      ],
    };
  },
  async lmstudio() {
    const folder = join(home, '.lmstudio/models');
    await putFile(join(folder, 'acme/Seer-GGUF/Seer-Q8_0.gguf'), vision);
    await putFile(join(folder, 'acme/Seer-GGUF/mmproj-Seer-F16.gguf'), await projectorOf(vision));
    return {
      folder,
      models: [
        {
          key: 'acme/seer',
          quantizations: ['Q8_0'],
          files: ['acme/Seer-GGUF/Seer-Q8_0.gguf', 'acme/Seer-GGUF/mmproj-Seer-F16.gguf'],
          type: 'vlm',
        },
      ],
    };
  },
  async jan() {
    const data = join(home, 'Jan/data');
    const folder = join(data, 'llamacpp/models');
    const id = 'acme/Seer-Q8_0';
    await putFile(join(folder, id, 'model.gguf'), vision);
    await putFile(join(folder, id, 'mmproj.gguf'), await projectorOf(vision));
    await put(
      join(folder, id, 'model.yml'),
      `embedding: false\nmodel_path: llamacpp/models/${id}/model.gguf\n` +
        `mmproj_path: llamacpp/models/${id}/mmproj.gguf\nname: Seer\nsize_bytes: 1\n`,
    );
    await put(
      join(folder, 'Talker/model.yml'),
      `model_path: ${JSON.stringify(chat)}\nname: Talker\nsize_bytes: 1\n`,
    );
    return {
      folder,
      models: [
        {
          key: 'local/talker',
          quantizations: ['Q8_0'],
          files: ['local/Talker/Talker.gguf'],
        },
        {
          key: 'acme/seer',
          quantizations: ['Q8_0'],
          files: ['acme/Seer/Seer-Q8_0.gguf', 'acme/Seer/mmproj-Seer-Q8_0.gguf'],
          type: 'vlm',
        },
      ],
    };
  },
  async huggingface() {
    const folder = join(home, '.cache/huggingface/hub');
    const repository = join(folder, 'models--acme--Talker-GGUF');
    const commit = 'a'.repeat(40);
    const file = async (revision: string, name: string, content: Buffer) => {
      const blob = join(repository, 'blobs', digestOf(content).slice('sha256:'.length));
      await put(blob, content);
      const path = join(repository, 'snapshots', revision, name);
      await mkdir(dirname(path), { recursive: true });
      await symlink(relative(dirname(path), blob), path);
    };
    await put(join(repository, 'refs/main'), commit);
    await file(commit, 'README.md', Buffer.from('---\nlicense: apache-2.0\n---\n# Talker\n'));
    await file(commit, 'Talker-Q8_0.gguf', await readFile(chat));
    await file('b'.repeat(40), 'Talker-Q8_0.gguf', await readFile(vision));
    // Safetensors of other programs are not models in MLX format.
    const other = join(folder, `models--acme--other/snapshots/${commit}`);
    await put(join(other, 'config.json'), '{"model_type": "bert"}');
    await put(join(other, 'model.safetensors'), 'weights');
    return {
      folder,
      models: [
        {
          key: 'acme/talker',
          quantizations: ['Q8_0'],
          license: 'apache-2.0',
          files: ['acme/Talker-GGUF/Talker-Q8_0.gguf'],
        },
      ],
    };
  },
  async llamacpp() {
    const folder = join(home, '.cache/llama.cpp');
    await put(join(folder, 'manifest=acme=Seer_2-GGUF=latest.json'), '{}');
    await putFile(join(folder, 'acme_Seer_2-GGUF_Seer_2-Q8_0.gguf'), vision);
    await put(join(folder, 'acme_Seer_2-GGUF_Seer_2-Q8_0.gguf.etag'), 'x');
    await putFile(join(folder, 'acme_Seer_2-GGUF_mmproj-F16.gguf'), await projectorOf(vision));
    await putFile(join(folder, 'talker.gguf'), chat);
    return {
      folder,
      models: [
        {
          key: 'acme/seer_2',
          quantizations: ['Q8_0'],
          files: ['acme/Seer_2-GGUF/Seer_2-Q8_0.gguf', 'acme/Seer_2-GGUF/mmproj-F16.gguf'],
          type: 'vlm',
        },
        { key: 'local/talker', quantizations: ['Q8_0'], files: ['local/talker/talker.gguf'] },
      ],
    };
  },
};

describe.each(Object.entries(layouts))('%s', (name, make) => {
  const program = name as ImportProgram;

  // covers cli-23
  test('lists and links its models without a change of its folder', async () => {
    const { folder, models } = await make();
    const before = await snapshot(folder);
    const options = optionsFor(program, folder);
    const listed = await listProgramModels(options);
    expect(listed.leftOut).toEqual([]);
    for (const { key, quantizations, license } of models) {
      const found = listed.models.find((model) => model.key === key);
      expect(found).toMatchObject({ key, quantizations, isInLibrary: false });
      expect(found?.sizeBytes).toBeGreaterThan(1_000_000);
      expect(found?.license).toBe(license ?? found?.license);
    }
    expect(listed.models).toHaveLength(models.length);
    await expect(stat(modelsFolder)).rejects.toThrow('ENOENT');

    const { keys, leftOut } = await importFromProgram({ ...options, how: 'link' });
    expect(leftOut).toEqual([]);
    expect(keys.toSorted()).toEqual(models.map(({ key }) => key).toSorted());
    const library = openLibrary();
    for (const { key, files, type = 'llm' } of models) {
      expect((await library.find(key)).model).toMatchObject({ key, type });
      for (const file of files) {
        const placed = await lstat(join(modelsFolder, file));
        expect(placed.isSymbolicLink() || placed.nlink > 1).toBe(true);
      }
    }
    expect((await snapshot(folder)).map(({ name: path }) => path)).toEqual(
      before.map(({ name: path }) => path),
    );

    const again = await listProgramModels(options);
    expect(again.models.every(({ isInLibrary }) => isInLibrary)).toBe(true);
    expect(await importFromProgram({ ...options, how: 'link' })).toEqual({
      keys: [],
      leftOut: [],
      presentCount: models.length,
    });

    for (const { key } of models) await library.remove(key, async () => {});
    expect(await snapshot(folder)).toEqual(before);
  });
});

describe('the folders of a program', () => {
  test.each([
    ['ollama', 'OLLAMA_MODELS', ''],
    ['huggingface', 'HF_HUB_CACHE', ''],
    ['huggingface', 'HF_HOME', 'hub'],
    ['huggingface', 'XDG_CACHE_HOME', 'huggingface/hub'],
    ['llamacpp', 'LLAMA_CACHE', ''],
  ] as const)('%s: %s', async (program, variable, below) => {
    const folder = join(home, below);
    await mkdir(folder, { recursive: true });
    const environment = { [variable]: home };
    const listed = await listProgramModels({ program, modelsFolder, environment, signal });
    expect(listed).toEqual({ folders: [folder], models: [], leftOut: [] });
  });

  test('names those that it looked for', async () => {
    const environment = { OLLAMA_MODELS: join(home, 'none') };
    await expect(
      listProgramModels({ program: 'ollama', modelsFolder, environment, signal }),
    ).rejects.toThrow(/models of Ollama in .*none\. Name the folder/);
  });
});

test('a split model is complete or left out', async () => {
  const folder = join(home, 'models');
  await putFile(join(folder, 'a/b/x-00001-of-00002.gguf'), chat);
  const { models, leftOut } = await listProgramModels(optionsFor('lmstudio', folder));
  expect(models).toEqual([]);
  expect(leftOut).toHaveLength(1);
});

test('a new variant joins a model that is in the library', async () => {
  const { folder } = await layouts.lmstudio();
  const options = { ...optionsFor('lmstudio', folder), how: 'link' } as const;
  await importFromProgram(options);
  await putFile(join(folder, 'acme/Seer-GGUF/Seer-Q4_0.gguf'), vision);
  expect((await importFromProgram(options)).keys).toEqual(['acme/seer']);
  const { model } = await openLibrary().find('acme/seer');
  expect(model.variants).toHaveLength(2);
});

test('never replaces another file of the library', async () => {
  const { folder } = await layouts.lmstudio();
  const other = await put(join(modelsFolder, 'acme/Seer-GGUF/Seer-Q8_0.gguf'), 'mine');
  const { keys, leftOut } = await importFromProgram({
    ...optionsFor('lmstudio', folder),
    how: 'link',
  });
  expect(keys).toEqual([]);
  expect(leftOut).toMatchObject([{ error: { code: 'conflict' } }]);
  expect(await readFile(other, 'utf8')).toBe('mine');
});

test('a symbolic link to a missing file has an error with its name, and can be deleted', async () => {
  const { folder } = await layouts.lmstudio();
  await importFromProgram({ ...optionsFor('lmstudio', folder), how: 'symlink' });
  const source = join(folder, 'acme/Seer-GGUF/Seer-Q8_0.gguf');
  expect(await readlink(join(modelsFolder, 'acme/Seer-GGUF/Seer-Q8_0.gguf'))).toBe(source);
  const reasons: string[] = [];
  const library = openLibrary(reasons);
  await library.find('acme/seer');
  await rm(source);
  await expect(library.find('acme/seer')).rejects.toThrow(
    /Seer-Q8_0.gguf is a link to a file that no longer/,
  );
  expect(reasons.join('\n')).toContain('no longer exists');
  await library.remove('acme/seer', async () => {});
  expect(await readdir(modelsFolder)).toEqual([]);
});

test('file names that other systems lack are left out', async () => {
  const folder = join(home, '.ollama/models');
  await putOllamaTag(folder, 'library/seer:latest', { model: await readFile(chat) });
  const manifests = join(folder, 'manifests/registry.example/library/seer');
  await link(join(manifests, 'latest'), join(manifests, 'a<b'));
  const { models, leftOut } = await listProgramModels(optionsFor('ollama', folder));
  expect(models.map(({ key }) => key)).toEqual(['library/seer']);
  expect(leftOut).toMatchObject([{ name: 'seer-a<b.gguf' }]);
});
