import { HearthError } from '../contract/errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { printableText } from '../models/printable-text.ts';
import type { HttpClient } from '../net/http-client.ts';
import { HttpFailure } from '../net/http-failure.ts';
import { pathFault } from './file-path.ts';
import { licenseOf, modelInfoSchema, parseEntry, parseSearchResult } from './hub-answers.ts';
import { defaultHubEndpoint, hubAddress, hubHeaders } from './hub-endpoint.ts';
import { hubFailure, nonsense } from './hub-failure.ts';
import { createHubFetch, type GetFetch, type HubConnection } from './hub-fetch.ts';
import type { Hub, HubFile, HubRepository, HubSearchResult, RepositoryName } from './hub.ts';

/** Loaded with the first query, since loading it takes long. */
const client = () => import('@huggingface/hub');

const maxEntries = 10_000;
const maxSearchResults = 100;

interface HubOptions {
  /** http or https; with a path where a mirror has one. */
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
  /** With `hubEgressPolicy`. */
  readonly http: HttpClient;
  /** Waits between two attempts of a request; for tests. */
  readonly wait?: HubConnection['wait'];
}

/** A model hub that speaks the API of huggingface.co. */
export function createHub(options: HubOptions): Hub {
  const { token, http, wait } = options;
  const configured = options.endpoint ?? defaultHubEndpoint;
  const endpoint = hubAddress(configured);
  const base = `${endpoint.origin}${endpoint.pathname.replace(/\/+$/, '')}`;
  const headers = hubHeaders(configured, token);
  const connection = { http, endpoint, headers, ...omitUndefined({ wait }) };
  const failed = (error: unknown, repository?: RepositoryName, revision?: string): HearthError =>
    hubFailure(error, {
      endpoint,
      hasToken: token !== undefined,
      ...omitUndefined({ repository, revision }),
    });
  return {
    headers,
    async repository(name, revision, signal) {
      const fetch = createHubFetch(connection, signal);
      try {
        return await readRepository({ base, endpoint, fetch }, name, revision ?? 'main');
      } catch (error) {
        signal.throwIfAborted();
        throw failed(error, name, revision ?? 'main');
      }
    },
    async search(words, limit, signal) {
      const fetch = createHubFetch(connection, signal);
      try {
        return await findRepositories(base, fetch, words, Math.min(limit, maxSearchResults));
      } catch (error) {
        signal.throwIfAborted();
        throw failed(error);
      }
    },
    fileUrl({ owner, name, commit }, path) {
      const encoded = path.split('/').map(encodeURIComponent).join('/');
      return new URL(`${base}/${owner}/${name}/resolve/${commit}/${encoded}`);
    },
  };
}

interface Source {
  readonly base: string;
  readonly endpoint: URL;
  readonly fetch: GetFetch;
}

/** Resolves the revision to a commit first, so that all data is about the same files. */
async function readRepository(
  source: Source,
  repository: RepositoryName,
  revision: string,
): Promise<HubRepository> {
  const { base, fetch } = source;
  const { modelInfo } = await client();
  const answer = await modelInfo({
    name: `${repository.owner}/${repository.name}`,
    revision,
    hubUrl: base,
    fetch,
    additionalFields: ['sha', 'tags', 'library_name'],
  });
  const info = modelInfoSchema.parse(answer);
  const { owner, name } = info.name;
  if (info.gated) await assertAccess(source, info.name);
  const files = await readFiles(source, info.name, info.sha);
  return {
    owner,
    name,
    commit: info.sha,
    license: licenseOf(info.tags),
    isMlx: info.tags.includes('mlx') || info.library_name === 'mlx',
    files,
  };
}

/** Anyone may list a gated repository; only this tells who may read it. Mirrors may not have it. */
async function assertAccess({ base, fetch }: Source, name: RepositoryName): Promise<void> {
  try {
    await fetch(`${base}/api/models/${name.owner}/${name.name}/auth-check`);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.status === 401 || error.status === 403) throw error;
  }
}

async function readFiles(
  { base, endpoint, fetch }: Source,
  { owner, name }: RepositoryName,
  commit: string,
): Promise<readonly HubFile[]> {
  const { listFiles } = await client();
  const repo = `${owner}/${name}`;
  const files = new Map<string, HubFile>();
  let entries = 0;
  for await (const entry of listFiles({
    repo,
    revision: commit,
    recursive: true,
    hubUrl: base,
    fetch,
  })) {
    entries += 1;
    if (entries > maxEntries) throw tooManyFiles(repo);
    const file = parseEntry(entry);
    if (file === null) continue;
    const fault = pathFault(file.path);
    if (fault === 'hostile' || files.has(file.path)) throw hostilePath(endpoint, repo, file.path);
    if (fault === null) files.set(file.path, file);
  }
  return [...files.values()];
}

async function findRepositories(
  base: string,
  fetch: GetFetch,
  words: string,
  limit: number,
): Promise<readonly HubSearchResult[]> {
  const { listModels } = await client();
  const results: HubSearchResult[] = [];
  for await (const found of listModels({
    search: { query: words, tags: ['gguf'] },
    sort: 'downloads',
    limit,
    hubUrl: base,
    fetch,
  })) {
    const result = parseSearchResult(found);
    if (result !== null) results.push(result);
  }
  return results.toSorted((left, right) => right.downloadCount - left.downloadCount);
}

function tooManyFiles(repo: string): HearthError {
  return new HearthError(
    'invalid_value',
    `${repo} has more than ${maxEntries} files; Hearth downloads smaller repositories only.`,
    { field: 'model' },
  );
}

function hostilePath(endpoint: URL, repo: string, path: string): HearthError {
  const shown = JSON.stringify(printableText(path, 100));
  return nonsense(
    endpoint,
    undefined,
    `a listing of ${repo} that holds the path ${shown}, which is refused: nothing of it is downloaded`,
  );
}
