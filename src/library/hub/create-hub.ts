import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { printableText } from '../printable-text.ts';
import type { HttpClient } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { pathFault } from './file-path.ts';
import {
  licenseOf,
  modelInfoSchema,
  parseEntry,
  parseSearchResult,
  shownTags,
  type ModelInfo,
} from './hub-answers.ts';
import { defaultHubEndpoint, hubAddress, hubBase, hubHeaders } from './hub-endpoint.ts';
import { hubFailure, nonsense } from './hub-failure.ts';
import { createHubFetch, type GetFetch } from './hub-fetch.ts';
import type {
  Hub,
  HubFile,
  HubRepository,
  HubRepositoryPage,
  HubSearchResult,
  ModelCard,
  RepositoryName,
} from './hub.ts';
import { toModelCard } from './model-card.ts';
import type { RetryWait } from './read-body.ts';

const client = () => import('./hub-client.ts');

const maxEntries = 10_000;
const maxSearchResults = 100;

interface HubOptions {
  /** An http or https URL; mirrors may have a path. */
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
  /** Must use `hubEgressPolicy`. */
  readonly http: HttpClient;
  readonly wait?: RetryWait;
}

/** A model hub with the API of huggingface.co. */
export function createHub(options: HubOptions): Hub {
  const { token, http, wait } = options;
  const configured = options.endpoint ?? defaultHubEndpoint;
  const endpoint = hubAddress(configured);
  const base = hubBase(endpoint);
  const headers = hubHeaders(configured, token);
  const connection = { http, endpoint, headers, ...omitUndefined({ wait }) };
  const ask = async <Answer>(
    signal: AbortSignal,
    subject: { readonly repository?: RepositoryName; readonly revision?: string },
    query: (source: Source) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await query({ base, endpoint, fetch: createHubFetch(connection, signal) });
    } catch (error) {
      signal.throwIfAborted();
      throw hubFailure(error, { endpoint, hasToken: token !== undefined, ...subject });
    }
  };
  return {
    http,
    headers,
    repository(name, revision = 'main', signal) {
      return ask(signal, { repository: name, revision }, (source) =>
        readRepository(source, name, revision),
      );
    },
    page(name, signal) {
      return ask(signal, { repository: name, revision: 'main' }, (source) =>
        readPage(source, name),
      );
    },
    search(words, limit, signal) {
      return ask(signal, {}, (source) =>
        findRepositories(source, words, Math.min(limit, maxSearchResults)),
      );
    },
    repositoryUrl: (repository) => `${base}/${repository}`,
    fileUrl({ owner, name, commit }, path) {
      return fileUrl(base, { owner, name, commit }, path);
    },
  };
}

interface Source {
  readonly base: string;
  readonly endpoint: URL;
  readonly fetch: GetFetch;
}

/** Resolves the revision to a commit first, so that all queries refer to the same files. */
async function readRepository(
  source: Source,
  repository: RepositoryName,
  revision: string,
): Promise<HubRepository> {
  const info = await readInfo(source, repository, revision);
  if (info.gated) await assertAccess(source, info.name);
  return listRepository(source, info);
}

/**
 * The front page of the default revision. It is public even if the repository is gated, unlike the
 * card.
 */
async function readPage(source: Source, repository: RepositoryName): Promise<HubRepositoryPage> {
  const info = await readInfo(source, repository, 'main');
  const listed = await listRepository(source, info);
  return {
    repository: listed,
    tags: shownTags(info.tags),
    downloadCount: info.downloads ?? null,
    likeCount: info.likes ?? null,
    updatedAt: info.updatedAt ?? null,
    isGated: info.gated,
    card: await readCard(source, listed),
  };
}

async function readCard(source: Source, repository: HubRepository): Promise<ModelCard | null> {
  const readme = repository.files.find(({ path }) => path.toLowerCase() === 'readme.md');
  if (readme === undefined) return null;
  try {
    const response = await source.fetch(fileUrl(source.base, repository, readme.path));
    return toModelCard(await response.text());
  } catch (error) {
    // The page is useful without its card.
    if (error instanceof HttpFailure) return null;
    throw error;
  }
}

function fileUrl(
  base: string,
  { owner, name, commit }: Pick<HubRepository, 'owner' | 'name' | 'commit'>,
  path: string,
): URL {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return new URL(`${base}/${owner}/${name}/resolve/${commit}/${encoded}`);
}

async function readInfo(
  { base, fetch }: Source,
  repository: RepositoryName,
  revision: string,
): Promise<ModelInfo> {
  const { modelInfo } = await client();
  const answer = await modelInfo({
    name: `${repository.owner}/${repository.name}`,
    revision,
    hubUrl: base,
    fetch,
    additionalFields: ['sha', 'tags', 'library_name'],
  });
  return modelInfoSchema.parse(answer);
}

async function listRepository(source: Source, info: ModelInfo): Promise<HubRepository> {
  const { owner, name } = info.name;
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

/** Anyone may list a gated repository; only this endpoint checks the access. Mirrors may not have it. */
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
  { base, fetch }: Source,
  words: string,
  limit: number,
): Promise<readonly HubSearchResult[]> {
  const { listModels } = await client();
  const results: HubSearchResult[] = [];
  for await (const found of listModels({
    search: { query: words, tags: ['gguf'] },
    sort: 'downloads',
    limit,
    additionalFields: ['tags'],
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
