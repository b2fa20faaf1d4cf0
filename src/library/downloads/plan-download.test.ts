import { describe, expect, it } from 'vitest';
import type { Hub, HubRepository } from '../hub/hub.ts';
import { createHttpClient } from '../../platform/net/http-client.ts';
import type { Registries } from '../hub/create-registries.ts';
import { Catalog } from '../hub/catalog.ts';
import { planDownload } from './plan-download.ts';

const { signal } = new AbortController();
const fileOf = (path: string) => ({
  path,
  sizeBytes: 7,
  checksum: { algorithm: 'sha256', hex: 'aa' } as const,
});

/** A hub with one repository, and the queries it received. */
function hubWith(...paths: readonly string[]) {
  const queries: unknown[] = [];
  const repository: HubRepository = {
    owner: 'Acme',
    name: 'Tiny-GGUF',
    commit: 'c1',
    license: null,
    isMlx: false,
    files: paths.map(fileOf),
  };
  const hub: Hub = {
    repository: async ({ owner, name }, revision, querySignal) => {
      queries.push([owner, name, revision, querySignal]);
      return repository;
    },
    page: () => Promise.reject(new Error('not used')),
    search: () => Promise.reject(new Error('not searched')),
    fileUrl: (_repository, path) => new URL(`https://hub.test/${path}`),
    repositoryUrl: (path) => `https://hub.test/${path}`,
    headers: {},
    http,
  };
  return { sources: { hub, modelScope: hub, registries }, queries };
}

const http = createHttpClient({ environment: {} });
/** Requests that don't name a registry must never query one. */
const registries: Registries = {
  model: () => Promise.reject(new Error('not asked')),
  fileUrl: () => new URL('https://registry.test'),
  http,
};

describe('planDownload', () => {
  it('plans the files of the commit that the hub names', async () => {
    const { sources, queries } = hubWith('tiny-Q4_K_M.gguf');
    const request = { model: 'acme/tiny-gguf' };
    expect(
      await planDownload(
        { sources, catalog: new Catalog(), hubEndpoint: undefined, request },
        signal,
      ),
    ).toEqual({
      model: 'acme/tiny-gguf',
      owner: 'Acme',
      name: 'Tiny-GGUF',
      commit: 'c1',
      quantization: 'Q4_K_M',
      files: [{ ...fileOf('tiny-Q4_K_M.gguf'), target: 'tiny-Q4_K_M.gguf' }],
    });
    expect(queries).toEqual([['acme', 'tiny-gguf', undefined, signal]]);
  });

  it('keeps the last folder of a path, as the library reads one folder deep', async () => {
    const { sources } = hubWith('gguf/v2/Q8_0/tiny-Q8_0.gguf');
    const model = 'https://hub.test/acme/tiny-gguf';
    const plan = await planDownload(
      {
        sources,
        catalog: new Catalog(),
        hubEndpoint: 'https://hub.test',
        request: { model, quantization: 'Q8_0' },
      },
      signal,
    );
    expect(plan.files).toMatchObject([
      { path: 'gguf/v2/Q8_0/tiny-Q8_0.gguf', target: 'Q8_0/tiny-Q8_0.gguf' },
    ]);
  });

  it('passes on the quantization of the request, and the note on other models', async () => {
    const { sources } = hubWith('tiny-Q4_K_M.gguf', 'tiny-Q8_0.gguf');
    const request = { model: 'https://hub.test/acme/tiny-gguf', quantization: 'Q8_0' };
    const hubEndpoint = 'https://hub.test';
    const plan = await planDownload(
      { sources, catalog: new Catalog(), hubEndpoint, request },
      signal,
    );
    expect(plan).toMatchObject({ quantization: 'Q8_0', files: [{ path: 'tiny-Q8_0.gguf' }] });
    await expect(
      planDownload(
        {
          sources,
          catalog: new Catalog(),
          hubEndpoint,
          request: { ...request, quantization: 'Q2_K' },
        },
        signal,
      ),
    ).rejects.toMatchObject({ code: 'invalid_value' });
    const noted = await planDownload(
      {
        sources: hubWith('a-Q8_0.gguf', 'b-Q8_0.gguf').sources,
        catalog: new Catalog(),
        hubEndpoint,
        request: { model: 'acme/tiny-gguf' },
      },
      signal,
    );
    expect(noted.note).toEqual(expect.stringContaining('b'));
  });
});
