import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { CatalogEntry } from './catalog-entries.ts';
import type { Catalog } from './catalog.ts';
import { pathFault } from './file-path.ts';
import type { RepositoryName } from './hub.ts';
import { parseRepositoryName } from './repository-name.ts';

/** The parsed name of a model to download. */
export interface ModelReference {
  readonly repository: RepositoryName;
  /** Branch, tag or commit. */
  readonly revision?: string;
  /** One file of the repository, which selects its whole model. */
  readonly file?: string;
  /** Restricts the files to this folder. */
  readonly folder?: string;
  /** Set if the name is an id of the catalog. */
  readonly catalogEntry?: CatalogEntry;
  readonly isUrl: boolean;
}

/** URLs of these hosts refer to the configured hub, even if that is a mirror: users copy them from the browser. */
const hubHosts: ReadonlySet<string> = new Set(['huggingface.co', 'www.huggingface.co', 'hf.co']);
const revisionPattern = /^(?![/.-])(?!.*(?:\.\.|\/\/|@\{))[\w./+-]{1,200}(?<![/.])$/;
const shownCharacters = 200;

/**
 * Parses the `model` of a download: an id of the catalog, `owner/name`, or the URL of a repository on the hub or of a
 * revision, folder or file in the repository.
 *
 * @throws HearthError `invalid_value` for anything else.
 */
export function parseModelReference(
  text: string,
  { endpoint, catalog }: { readonly endpoint: URL; readonly catalog: Catalog },
): ModelReference {
  const trimmed = text.trim();
  if (/^[a-z][\w+.-]*:\/\//i.test(trimmed)) return parseUrl(trimmed, endpoint);
  const repository = parseRepositoryName(trimmed);
  if (repository !== null) return { repository, isUrl: false };
  const catalogEntry = catalog.find(trimmed);
  const inCatalog = parseRepositoryName(catalogEntry?.repository ?? '');
  if (catalogEntry !== undefined && inCatalog !== null) {
    return { repository: inCatalog, catalogEntry, isUrl: false };
  }
  throw invalid(
    trimmed,
    `is neither in the catalog nor owner/name on the hub nor a URL such as ${exampleOf(endpoint)}. ` +
      '`hearth get` followed by words searches for models',
  );
}

function parseUrl(text: string, endpoint: URL): ModelReference {
  const segments = segmentsOf(text, endpoint);
  const [owner = '', name = '', view, ...rest] = segments;
  if (owner === 'datasets' || owner === 'spaces') {
    throw invalid(text, `is one of the hub's ${owner}; Hearth downloads models`);
  }
  const repository = parseRepositoryName(`${owner}/${name}`);
  if (repository === null) {
    throw invalid(text, `names no repository; a URL is like ${exampleOf(endpoint)}`);
  }
  if (view === undefined) return { repository, isUrl: true };
  const { revision, path } = splitRevision(rest);
  if (revision === undefined || !revisionPattern.test(revision)) {
    throw invalid(
      text,
      'names no valid revision; it is /tree/<revision> or /blob/<revision>/<file>',
    );
  }
  if (path !== undefined && pathFault(path) !== null) {
    throw invalid(text, 'names a path that no model has');
  }
  if (view === 'tree')
    return { repository, revision, isUrl: true, ...omitUndefined({ folder: path }) };
  const isFile = view === 'blob' || view === 'resolve' || view === 'raw';
  if (isFile && path !== undefined) return { repository, revision, file: path, isUrl: true };
  throw invalid(
    text,
    `names no model; after the repository goes nothing, /tree/<revision>[/<folder>] or /blob/<revision>/<file>`,
  );
}

/** Returns the decoded parts of a URL's path on the hub; accepts every host of the hub. */
function segmentsOf(text: string, endpoint: URL): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '') {
    throw invalid(text, `is not a valid URL; an example is ${exampleOf(endpoint)}`);
  }
  const prefix = endpoint.pathname.replace(/\/+$/, '');
  const isOwn = url.origin === endpoint.origin && `${url.pathname}/`.startsWith(`${prefix}/`);
  const isHub = hubHosts.has(url.hostname) && url.port === '';
  if (!isOwn && !isHub) {
    throw invalid(
      text,
      `is not on ${isOwnHub(endpoint) ? endpoint.host : `${endpoint.host} (hub.endpoint) or huggingface.co`}, ` +
        'the only place to download models from',
    );
  }
  const path = isOwn ? url.pathname.slice(prefix.length) : url.pathname;
  try {
    return path
      .replaceAll(/^\/+|\/+$/g, '')
      .split('/')
      .map(decodeURIComponent);
  } catch {
    throw invalid(text, 'has an invalid percent encoding');
  }
}

/** Pull requests and converted copies are revisions of three parts: `refs/pr/1`. */
function splitRevision(parts: readonly string[]): { revision?: string; path?: string } {
  const length = parts[0] === 'refs' ? 3 : 1;
  const revision = parts.slice(0, length).join('/');
  const path = parts.slice(length).join('/');
  return omitUndefined({
    revision: revision === '' ? undefined : revision,
    path: path === '' ? undefined : path,
  });
}

function isOwnHub(endpoint: URL): boolean {
  return hubHosts.has(endpoint.hostname);
}

function exampleOf(endpoint: URL): string {
  return `${endpoint.href.replace(/\/+$/, '')}/owner/name`;
}

function invalid(text: string, fault: string): HearthError {
  const shown = JSON.stringify(text.slice(0, shownCharacters));
  return new HearthError('invalid_value', `${shown} ${fault}.`, { field: 'model' });
}
