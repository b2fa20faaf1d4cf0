import { beforeEach, expect, it } from 'vitest';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Engines } from '../../../engines/engines.ts';
import type { Hub, HubSearchResult } from '../../../library/hub/hub.ts';
import { createTestApp } from '../../../../test/setup/http/test-app.ts';
import type { ApiServices } from '../../services.ts';
import { Catalog } from '../../../library/hub/catalog.ts';
import { mountCatalog } from './catalog.ts';

const found = (owner: string, name: string, task: string | null = null): HubSearchResult => ({
  owner,
  name,
  downloadCount: 5,
  likeCount: 1,
  updatedAt: new Date('2026-01-02T03:04:05.000Z'),
  isGated: false,
  task,
  license: null,
});

let search: Hub['search'];
let searches: unknown[];
beforeEach(() => {
  searches = [];
  search = async (words, limit) => {
    searches.push([words, limit]);
    return [
      found('ggml-org', 'smolvlm-256m-instruct-gguf'),
      found('some', 'SmolVLM-GGUF', 'image-text-to-text'),
    ];
  };
});
const hub = {
  search: (...query: Parameters<Hub['search']>) => search(...query),
  repositoryUrl: (repository: string) => `http://mirror/hf/${repository}`,
} as Hub;
const modelScopeHub = {
  search: async () => [{ ...found('Some', 'Model-GGUF'), license: 'gemma' }],
  repositoryUrl: (repository: string) => `https://modelscope.cn/models/${repository}`,
} as Partial<Hub> as Hub;
const pool = {
  headroom: () => ({ usableBytes: 1e9, capacityBytes: 3e9 }),
} as Engines;
const { app } = createTestApp({
  v1Routes: (target) =>
    mountCatalog(target, {
      hub,
      catalog: new Catalog(),
      modelScopeHub,
      pool,
    } as ApiServices),
});

async function list(query: string) {
  const response = await app.request(`/api/v1/models/catalog${query}`);
  return { status: response.status, body: (await response.json()) as Listing };
}
it('says which fit into the memory', async () => {
  const { body } = await list('?search=qwen3&limit=20');
  const fits = new Map(body.models.map((model) => [model.id, model.fits]));
  expect(fits.get('qwen3-0.6b')).toBe('fits');
  expect(fits.get('qwen3-1.7b')).toBe('partly');
  expect(fits.get('qwen3-8b')).toBe('too_large');
});

interface Listing {
  readonly models: readonly {
    readonly id: string;
    readonly source: string;
    readonly fits?: string;
  }[];
  readonly warning?: unknown;
}

it.each(['', '?search=', '?search=%20'])('lists what Hearth knows for %j', async (query) => {
  const { status, body } = await list(`${query}${query === '' ? '?' : '&'}limit=100`);
  expect(status).toBe(200);
  expect(body.models.length).toBeGreaterThan(5);
  expect(new Set(body.models.map(({ source }) => source))).toEqual(new Set(['catalog']));
  expect(new Set(body.models.map(({ id }) => id)).size).toBe(body.models.length);
  expect(searches).toEqual([]);
});

it('puts its own matches first and no repository twice', async () => {
  const { body } = await list('?search=smolvlm-256m');
  expect(searches).toEqual([['smolvlm-256m', 20]]);
  expect(body.models).toEqual([
    expect.objectContaining({
      id: 'smolvlm-256m',
      source: 'catalog',
      repository: 'ggml-org/SmolVLM-256M-Instruct-GGUF',
      url: 'http://mirror/hf/ggml-org/SmolVLM-256M-Instruct-GGUF',
      type: 'vlm',
      fits: 'fits',
    }),
    {
      id: 'some/SmolVLM-GGUF',
      source: 'hub',
      repository: 'some/SmolVLM-GGUF',
      url: 'http://mirror/hf/some/SmolVLM-GGUF',
      type: 'vlm',
      downloads: 5,
      likes: 1,
      updated_at: '2026-01-02T03:04:05.000Z',
      gated: false,
    },
  ]);
});

it('searches ModelScope, and nothing else, on request', async () => {
  const { body } = await list('?search=qwen&source=modelscope');
  expect(body.models).toMatchObject([
    {
      id: 'modelscope:Some/Model-GGUF',
      source: 'modelscope',
      url: 'https://modelscope.cn/models/Some/Model-GGUF',
      license: 'gemma',
      license_has_conditions: true,
    },
  ]);
  expect(searches).toEqual([]);
  expect((await list('?search=qwen&source=other')).status).toBe(400);
});

it('keeps to the limit, and does not ask the hub if it is reached', async () => {
  expect((await list('?search=qwen&limit=1')).body.models).toHaveLength(1);
  expect(searches).toEqual([]);
  expect((await list('?search=smolvlm-256m&limit=2')).body.models).toHaveLength(2);
});

it('warns where the hub does not answer', async () => {
  search = () => Promise.reject(new HearthError('hub_unreachable', 'The hub is away.'));
  const { status, body } = await list('?search=smolvlm-256m');
  expect(status).toBe(200);
  expect(body.models.map(({ id }) => id)).toEqual(['smolvlm-256m']);
  expect(body.warning).toEqual({
    type: 'hub_error',
    code: 'hub_unreachable',
    message: 'The hub is away.',
  });
});

it.each(['?limit=0', '?limit=1000', `?search=${'a'.repeat(201)}`])('refuses %s', async (query) => {
  const { status, body } = await list(query);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { code: 'invalid_value' } });
});
