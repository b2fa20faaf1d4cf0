import { createHash } from 'node:crypto';
import * as z from 'zod';
import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { createHttpClient, type HttpClient } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { printableText } from '../printable-text.ts';
import { shownTags } from './hub-answers.ts';
import { hubAddress, hubBase, hubEgressPolicy } from './hub-endpoint.ts';
import { createHubFetch, type GetFetch } from './hub-fetch.ts';
import type { Hub, HubFile, HubRepository, RepositoryName } from './hub.ts';
import { toModelCard } from './model-card.ts';
import {
  fileListSchema,
  licenseOf,
  modelAnswerSchema,
  searchAnswerSchema,
  toHubFiles,
  toSearchResult,
  type ModelScopeModel,
} from './modelscope-answers.ts';
import { modelScopeSite } from './modelscope-reference.ts';
import type { RetryWait } from './read-body.ts';
import { sourceFailure } from './source-failure.ts';

const defaultSite = 'https://modelscope.cn';
/** Files can be requested by branch only. */
const branch = 'master';
/** ModelScope truncates longer lists silently. */
const maxListedEntries = 3000;
/** Maximum page size of ModelScope. */
const maxSearchResults = 50;

interface ModelScopeOptions {
  readonly endpoint: string;
  /** Must use `hubEgressPolicy`. */
  readonly http: HttpClient;
  readonly wait?: RetryWait;
}

/** ModelScope with its own HTTP client, which the caller must close. */
export function openModelScope(
  endpoint: string,
  environment: Readonly<Record<string, string | undefined>>,
): Hub {
  const http = createHttpClient({ environment, egress: hubEgressPolicy(endpoint) });
  return createModelScope({ endpoint, http });
}

/** The hub ModelScope, through its own API. Repositories that need an account are not supported. */
export function createModelScope({ endpoint, http, wait }: ModelScopeOptions): Hub {
  const address = hubAddress(endpoint);
  const base = hubBase(address);
  const fetchFor = (signal: AbortSignal): GetFetch =>
    createHubFetch({ http, endpoint: address, headers: {}, ...omitUndefined({ wait }) }, signal);
  const ask = async <Answer>(
    signal: AbortSignal,
    missing: string | undefined,
    query: () => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await query();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof z.ZodError || error instanceof SyntaxError) {
        throw nonsense(address.host, 'an answer that is not from ModelScope', error);
      }
      throw sourceFailure(error, { host: address.host, ...omitUndefined({ missing }) });
    }
  };
  const fileUrl: Hub['fileUrl'] = ({ owner, name }, path) => {
    const query = new URLSearchParams({ Revision: branch, FilePath: path });
    return new URL(`${base}/api/v1/models/${owner}/${name}/repo?${query.toString()}`);
  };
  const readModel = async (fetch: GetFetch, { owner, name }: RepositoryName) => {
    const response = await fetch(`${base}/openapi/v1/models/${owner}/${name}`);
    return modelAnswerSchema.parse(await response.json()).data;
  };
  const readFiles = async (fetch: GetFetch, { owner, name }: RepositoryName) => {
    const query = new URLSearchParams({ Revision: branch, Recursive: 'True' });
    const response = await fetch(
      `${base}/api/v1/models/${owner}/${name}/repo/files?${query.toString()}`,
    );
    const { Files: entries } = fileListSchema.parse(await response.json()).Data;
    if (entries === null) throw noFiles(address.host, { owner, name });
    if (entries.length >= maxListedEntries) throw tooManyFiles({ owner, name });
    const files = toHubFiles(entries);
    if (!('hostilePath' in files)) return files;
    const shown = JSON.stringify(printableText(files.hostilePath, 100));
    throw nonsense(address.host, `a list with the path ${shown}, which is refused`);
  };
  const missing = ({ owner, name }: RepositoryName): string => `repository ${owner}/${name}`;
  return {
    http,
    headers: {},
    fileUrl,
    // Downloads accept URLs of the public sites, but send requests to the configured address.
    repositoryUrl: (repository) =>
      `${modelScopeSite.test(address.href) ? base : defaultSite}/models/${repository}`,
    repository(name, _revision, signal) {
      const fetch = fetchFor(signal);
      return ask(signal, missing(name), async () =>
        toRepository(name, await readModel(fetch, name), await readFiles(fetch, name)),
      );
    },
    page(name, signal) {
      const fetch = fetchFor(signal);
      return ask(signal, missing(name), async () => {
        const model = await readModel(fetch, name);
        const repository = toRepository(name, model, await readFiles(fetch, name));
        const readme = repository.files.find(({ path }) => path.toLowerCase() === 'readme.md');
        return {
          repository,
          tags: shownTags(model.tags ?? []),
          downloadCount: model.downloads ?? null,
          likeCount: model.likes ?? null,
          updatedAt: model.last_modified ?? null,
          isGated: model.gated ?? false,
          card:
            readme === undefined ? null : await readCard(fetch, fileUrl(repository, readme.path)),
        };
      });
    },
    search(words, limit, signal) {
      const query = new URLSearchParams({
        search: words,
        'filter.library': 'gguf',
        sort: 'downloads',
        page_size: String(Math.min(limit, maxSearchResults)),
      });
      return ask(signal, undefined, async () => {
        const response = await fetchFor(signal)(`${base}/openapi/v1/models?${query.toString()}`);
        const { models } = searchAnswerSchema.parse(await response.json()).data;
        return models.flatMap((model) => toSearchResult(model) ?? []);
      });
    },
  };
}

function toRepository(
  name: RepositoryName,
  model: ModelScopeModel,
  files: readonly HubFile[],
): HubRepository {
  const listed = files.map(({ path, checksum }) => `${path}\n${checksum.hex}`).toSorted();
  return {
    ...name,
    // ModelScope has no commit that covers all files, so a hash of their hashes takes its place.
    commit: createHash('sha256').update(listed.join('\n')).digest('hex'),
    license: licenseOf(model),
    isMlx: model.tags?.some((tag) => tag === 'mlx' || tag === 'library:mlx') === true,
    files,
  };
}

async function readCard(fetch: GetFetch, url: URL) {
  try {
    return toModelCard(await (await fetch(url)).text());
  } catch (error) {
    // The page is useful without its card.
    if (error instanceof HttpFailure) return null;
    throw error;
  }
}

function noFiles(host: string, { owner, name }: RepositoryName): HearthError {
  return new HearthError(
    'model_not_found',
    `${owner}/${name} on ${host} has no files in the branch ${branch}.`,
    { field: 'model' },
  );
}

function tooManyFiles({ owner, name }: RepositoryName): HearthError {
  return new HearthError(
    'invalid_value',
    `${owner}/${name} has ${maxListedEntries} files or more, which ModelScope does not list completely.`,
    { field: 'model' },
  );
}

function nonsense(host: string, what: string, cause?: unknown): HearthError {
  return new HearthError(
    'hub_unreachable',
    `${host} answered with ${what}. Check hub.mirrors, or try again later.`,
    { cause },
  );
}
