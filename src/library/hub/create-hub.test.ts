import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createHubBench, modelFile, smallFile } from '../../../test/setup/hub/fake-hub-bench.ts';
import { Catalog } from './catalog.ts';
import { resolveModel } from './resolve-model.ts';

const bench = createHubBench();
const { signal } = new AbortController();
const name = { owner: 'owner', name: 'Model-GGUF' };

afterEach(() => bench.close());

describe('a repository', () => {
  it('lists its files at a commit, with checksums, without hidden files', async () => {
    const fake = await bench.start({ license: 'apache-2.0', revisions: ['v1'] });
    const { hub } = bench.open(fake.url);
    const found = await hub.repository(name, 'v1', signal);
    const { commit } = fake.repository('owner/Model-GGUF');
    expect(found).toStrictEqual({
      ...name,
      commit,
      license: 'apache-2.0',
      isMlx: false,
      files: [
        {
          path: 'sub/m-Q4_K_M.gguf',
          sizeBytes: 5000,
          checksum: {
            algorithm: 'sha256',
            hex: createHash('sha256').update(modelFile).digest('hex'),
          },
        },
        {
          path: 'config.json',
          sizeBytes: 2,
          checksum: {
            algorithm: 'git-sha1',
            hex: createHash('sha1').update('blob 2\0{}').digest('hex'),
          },
        },
      ],
    });
    expect(fake.requests.at(-1)?.path).toContain(`/tree/${commit}?recursive=true`);
    expect(fake.requests.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  it('is read page by page, with the name that the hub returns', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [`m-${index}.gguf`, smallFile]),
    );
    const fake = await bench.start({ files, tags: ['mlx'] }, 10);
    const found = await bench
      .open(fake.url)
      .hub.repository({ owner: 'OWNER', name: 'model-gguf' }, undefined, signal);
    expect(found).toMatchObject({ ...name, isMlx: true, license: null });
    expect(found.files).toHaveLength(25);
    expect(fake.requests).toHaveLength(4);
  });

  it('has file URLs on the hub, whose content matches the checksum', async () => {
    const files = { 'a b/ü#?%.gguf': modelFile };
    const fake = await bench.start({ files });
    const { hub } = bench.open(`${fake.url}/`);
    const found = await hub.repository(name, undefined, signal);
    const url = hub.fileUrl(found, 'a b/ü#?%.gguf');
    expect(url.href).toBe(
      `${fake.url}/owner/Model-GGUF/resolve/${found.commit}/a%20b/%C3%BC%23%3F%25.gguf`,
    );
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toStrictEqual(modelFile);
  });

  it('is resolved from a name', async () => {
    const fake = await bench.start();
    const { hub } = bench.open(fake.url);
    const model = 'https://huggingface.co/owner/Model-GGUF';
    const resolved = await resolveModel(
      { hub, catalog: new Catalog(), endpoint: fake.url, model },
      signal,
    );
    expect(resolved.choice).toMatchObject({
      quantization: 'Q4_K_M',
      files: [{ path: 'sub/m-Q4_K_M.gguf' }],
    });
  });
});

describe('the credentials for the hub', () => {
  it('are the token, else those in the endpoint, which no message shows', async () => {
    const fake = await bench.start({ isPrivate: true });
    const endpoint = fake.url.replace('//', '//me:p%40ss@');
    const { hub } = bench.open(endpoint);
    const model = 'owner/Model-GGUF';
    await expect(
      resolveModel({ hub, catalog: new Catalog(), endpoint, model }, signal),
    ).rejects.toMatchObject({
      message: expect.not.stringContaining('p%40ss'),
    });
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(fake.requests[0]).toMatchObject({ authorization: basic });
    expect(bench.open(endpoint, 'hf_fake').hub.headers).toStrictEqual({
      authorization: 'Bearer hf_fake',
    });
  });
});

describe('an unusable repository', () => {
  it('does not exist, or is private', async () => {
    const fake = await bench.start({ isPrivate: true });
    await expect(
      bench.open(fake.url).hub.repository(name, undefined, signal),
    ).rejects.toMatchObject({
      code: 'model_not_found',
      field: 'model',
      message: expect.stringMatching(
        /no repository owner\/Model-GGUF, or it is private: set hub\.token/,
      ),
    });
    const { hub } = bench.open(fake.url, 'hf_other');
    await expect(hub.repository(name, undefined, signal)).rejects.toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('the account of hub.token may not see it'),
    });
    const own = bench.open(fake.url, 'hf_fake').hub.repository(name, undefined, signal);
    await expect(own).resolves.toMatchObject(name);
  });

  it('does not have the revision', async () => {
    const fake = await bench.start();
    await expect(bench.open(fake.url).hub.repository(name, 'v9', signal)).rejects.toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('has no revision "v9"'),
    });
  });

  it('is gated, and the message says where to agree', async () => {
    const fake = await bench.start({ gated: 'manual' });
    await expect(
      bench.open(fake.url).hub.repository(name, undefined, signal),
    ).rejects.toMatchObject({
      code: 'gated_repository',
      field: 'model',
      message: expect.stringContaining(`Agree at ${fake.url}/owner/Model-GGUF with an account`),
    });
    const { hub } = bench.open(fake.url, 'hf_other');
    await expect(hub.repository(name, undefined, signal)).rejects.toMatchObject({
      code: 'gated_repository',
      message: expect.stringContaining('with the account of hub.token'),
    });
    const own = bench.open(fake.url, 'hf_fake').hub.repository(name, undefined, signal);
    await expect(own).resolves.toMatchObject(name);
  });

  it('is not accessible with an invalid token', async () => {
    const fake = await bench.start();
    fake.faults.add({ kind: 'status', status: 401 });
    const { hub } = bench.open(fake.url, 'expired');
    await expect(hub.repository(name, undefined, signal)).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringContaining('does not accept the token in hub.token'),
    });
  });

  it.each([
    '../x.gguf',
    'a/../../x.gguf',
    '/etc/passwd',
    'a//b.gguf',
    'a/./b.gguf',
    'a\\..\\b.gguf',
    'C:x.gguf',
    'a\u0000.gguf',
    'a\u001b[2J.gguf',
    'a\u202Efugg.gguf',
    'trailing. /a.gguf',
    `${'x'.repeat(256)}.gguf`,
    `${'x/'.repeat(600)}a.gguf`,
  ])('contains the hostile path %j', async (path) => {
    const fake = await bench.start();
    fake.repository('owner/Model-GGUF').changeListing = (entries) =>
      entries.map((entry) => (entry.path === 'config.json' ? { ...entry, path } : entry));
    const failure = await bench
      .open(fake.url)
      .hub.repository(name, undefined, signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringMatching(/owner\/Model-GGUF.*refused/),
    });
    expect((failure as Error).message).not.toMatch(/[\p{Cc}\u202E]/u);
    expect((failure as Error).message.length).toBeLessThan(400);
  });

  it('has too many files', async () => {
    const fake = await bench.start();
    fake.repository('owner/Model-GGUF').changeListing = () =>
      Array.from({ length: 10_001 }, (_, index) => ({
        type: 'file',
        path: `${index}.json`,
        size: 1,
        oid: '0'.repeat(40),
      }));
    await expect(
      bench.open(fake.url).hub.repository(name, undefined, signal),
    ).rejects.toMatchObject({
      code: 'invalid_value',
      field: 'model',
      message: expect.stringContaining('more than 10000 files'),
    });
  });
});

describe('a search', () => {
  it('returns GGUF repositories, most downloaded first', async () => {
    const fake = await bench.start({ downloads: 5, task: 'text-generation' });
    const files = { 'm.gguf': smallFile };
    fake.addRepository({
      name: 'other/Model-2-GGUF',
      files,
      downloads: 9,
      gated: 'auto',
      license: 'mit',
    });
    fake.addRepository({ name: 'other/Model-3', files: { 'm.bin': smallFile }, downloads: 99 });
    fake.addRepository({ name: 'other/..', files, downloads: 99 });
    const found = await bench.open(fake.url).hub.search('model', 5, signal);
    expect(found).toStrictEqual([
      {
        owner: 'other',
        name: 'Model-2-GGUF',
        downloadCount: 9,
        likeCount: 7,
        updatedAt: new Date('2026-01-02T03:04:05Z'),
        isGated: true,
        task: null,
        license: 'mit',
      },
      expect.objectContaining({ ...name, downloadCount: 5, task: 'text-generation' }),
    ]);
  });
});
