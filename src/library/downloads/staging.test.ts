import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  assertSafePlan,
  findModelFolder,
  markCancelled,
  partPath,
  publishFile,
  publishingOrder,
  removeStaging,
  stagingFolder,
  sweepStaging,
} from './staging.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const { signal } = new AbortController();

it('publishes the files that make a model visible last', () => {
  const order = (...targets: string[]) =>
    publishingOrder(targets.map((target) => ({ target }))).map(({ target }) => target);
  expect(order('a-00001-of-00002.gguf', 'mmproj-a.gguf', 'a-00002-of-00002.gguf')).toEqual([
    'mmproj-a.gguf',
    'a-00002-of-00002.gguf',
    'a-00001-of-00002.gguf',
  ]);
  expect(order('config.json', 'model.safetensors', 'tokenizer.json').at(-1)).toBe('config.json');
});

it('moves a file without replacing another', async () => {
  const folder = await temporaryFolder();
  const [source, target] = [join(folder, 'part'), join(folder, 'a', 'b', 'model.gguf')];
  await writeFile(source, 'first');
  await publishFile(source, target, signal);
  expect(await readdir(folder)).toEqual(['a']);
  await writeFile(source, 'second');
  await expect(publishFile(source, target, signal)).rejects.toMatchObject({ code: 'conflict' });
  expect(await readFile(target, 'utf8')).toBe('first');
  expect(await readFile(source, 'utf8')).toBe('second');
});

it('publishes nothing once aborted', async () => {
  const folder = await temporaryFolder();
  const source = join(folder, 'part');
  await writeFile(source, 'first');
  const aborted = AbortSignal.abort(new Error('stopped'));
  await expect(publishFile(source, join(folder, 'a', 'b'), aborted)).rejects.toThrow('stopped');
  expect(await readdir(folder)).toEqual(['part']);
});

it('explains what to do about an existing file', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'part'), 'first');
  await writeFile(join(folder, 'model.gguf'), 'second');
  const published = publishFile(join(folder, 'part'), join(folder, 'model.gguf'), signal);
  await expect(published).rejects.toThrow(
    'The library already has another file model.gguf of this model, such as an earlier version. Delete it (hearth rm) or rename it, then repeat the download.',
  );
});

it('fails if the folder cannot be created', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'part'), 'first');
  await writeFile(join(folder, 'file'), '');
  const published = publishFile(join(folder, 'part'), join(folder, 'file', 'a.gguf'), signal);
  await expect(published).rejects.toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) });
});

describe('the order of publishing', () => {
  const targets = (...names: string[]) =>
    publishingOrder(names.map((target) => ({ target }))).map(({ target }) => target);

  it.each([
    [['a.gguf', 'notes.txt'], 'a.gguf'],
    [['A.GGUF', 'notes.txt'], 'A.GGUF'],
    [['a.gguf.txt', 'a.gguf', 'b.txt'], 'a.gguf'],
    [['sub/config.json', 'weights.safetensors'], 'sub/config.json'],
    [['config.json.bak', 'config.json', 'a'], 'config.json'],
    [['sub/a-00001-of-00002.gguf', 'sub/a-00002-of-00002.gguf'], 'sub/a-00001-of-00002.gguf'],
  ])('of %j ends with %s', (names, last) => {
    expect(targets(...names).at(-1)).toBe(last);
  });
});

describe('the files of a job', () => {
  const [id, other] = ['job_0123456789', 'job_abcdef0123'];

  it('are in a hidden folder of the library', () => {
    expect(stagingFolder('/models', id)).toBe(join('/models/.downloads', id));
    expect(partPath('/models', id, 3)).toBe(join('/models/.downloads', id, '3.part'));
  });

  it('are removed with the job, even if it was marked as cancelled', async () => {
    const folder = await temporaryFolder();
    for (const each of [id, other]) await mkdir(stagingFolder(folder, each), { recursive: true });
    await markCancelled(folder, id);
    expect((await readdir(join(folder, '.downloads'))).toSorted()).toEqual([
      `${id}.cancelled`,
      other,
    ]);
    await mkdir(stagingFolder(folder, id));
    await removeStaging(folder, id);
    await removeStaging(folder, id);
    expect(await readdir(join(folder, '.downloads'))).toEqual([other]);
  });

  it('need not exist to be marked', async () => {
    await expect(markCancelled(await temporaryFolder(), id)).resolves.toBeUndefined();
  });

  it('are removed if cancelled, and reported if they belong to no job of this home', async () => {
    const folder = await temporaryFolder();
    const names = [
      id,
      other,
      'job_0000000000.cancelled',
      'xjob_0000000000.cancelled',
      'job_0000000000.cancelled.bak',
      'xjob_1111111111',
      'job_1111111111x',
      'notes',
    ];
    for (const name of names) await mkdir(join(folder, '.downloads', name), { recursive: true });
    expect(await sweepStaging(folder, new Set([id]))).toEqual([other]);
    expect((await readdir(join(folder, '.downloads'))).toSorted()).toEqual(
      names.filter((name) => name !== 'job_0000000000.cancelled').toSorted(),
    );
    expect(await sweepStaging(join(folder, 'none'), new Set())).toEqual([]);
  });
});

it('prefers the folder with the exact case of the model', async () => {
  const folder = await temporaryFolder();
  expect(await findModelFolder(folder, { owner: 'Acme', name: 'Tiny' })).toBe(
    join(folder, 'Acme', 'Tiny'),
  );
  await mkdir(join(folder, 'ACME', 'TINY'), { recursive: true });
  expect(await findModelFolder(folder, { owner: 'Acme', name: 'Tiny' })).toBe(
    join(folder, 'ACME', 'TINY'),
  );
  await mkdir(join(folder, 'Acme', 'Tiny'), { recursive: true });
  expect(await findModelFolder(folder, { owner: 'Acme', name: 'Tiny' })).toBe(
    join(folder, 'Acme', 'Tiny'),
  );
});

describe('a plan', () => {
  const planOf = (targets: readonly string[], owner = 'Acme', name = 'Tiny') => ({
    model: 'a/b',
    owner,
    name,
    commit: 'c',
    quantization: null,
    files: targets.map((target) => ({
      path: target,
      target,
      sizeBytes: 1,
      checksum: { algorithm: 'sha256', hex: 'aa' } as const,
    })),
  });
  const check = (...plan: Parameters<typeof planOf>) => assertSafePlan(planOf(...plan));

  it('may contain files and one folder', () => {
    expect(() => check(['a.gguf', 'sub/b.gguf', 'B.gguf'])).not.toThrow();
  });

  it.each([
    [['a/b/c.gguf']],
    [['']],
    [['a//b']],
    [['../a']],
    [['a\\b']],
    [['c:b']],
    [['a\n']],
    [['a'], '.hidden'],
    [['a'], 'Acme', '..'],
    [['a'], ''],
  ] as const)('is refused with the files %j of %s/%s', (targets, owner?: string, name?: string) => {
    expect(() => check(targets, owner, name)).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        message: expect.stringContaining('is not a place inside the library.') as string,
      }) as Error,
    );
  });

  it('is rejected with two names that some disks equate', () => {
    expect(() => check(['a.gguf', 'A.GGUF'])).toThrow(
      'The repository can\'t be downloaded: "A.GGUF" is listed twice, in another case.',
    );
  });

  it('is rejected with a message of bounded length', () => {
    expect(() => check(['/'.repeat(5000)])).toThrow(/^.{300,400}$/);
  });
});

it('names the field of an unsafe plan', () => {
  const file = { path: 'a', target: '../a', sizeBytes: 1 };
  const checksum = { algorithm: 'sha256', hex: 'aa' } as const;
  const plan = { model: 'm', owner: 'o', name: 'n', commit: 'c', quantization: null };
  expect(() => assertSafePlan({ ...plan, files: [{ ...file, checksum }] })).toThrow(
    expect.objectContaining({ code: 'invalid_value', field: 'model' }),
  );
});
