import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { pathFault } from './file-path.ts';
import type { RepositoryName } from './hub.ts';
import { parseRepositoryName } from './repository-name.ts';

/** A model of ModelScope to download. */
export interface ModelScopeReference {
  readonly repository: RepositoryName;
  readonly quantization?: string;
  /** One file of the repository, which selects its whole model. */
  readonly file?: string;
}

const prefix = /^modelscope:/i;
/** URLs of ModelScope's two sites, which have the same models. */
export const modelScopeSite = /^https?:\/\/(?:www\.)?modelscope\.(?:cn|ai)(?:\/|$)/i;
const views: ReadonlySet<string> = new Set(['summary', 'files']);

/** True if the name of a model is `modelscope:owner/name`, or a URL of ModelScope. */
export function isModelScopeReference(text: string): boolean {
  return [prefix, modelScopeSite].some((pattern) => pattern.test(text.trim()));
}

/**
 * Parses `modelscope:owner/name[:quantization]`, or the URL of a repository or file on ModelScope.
 *
 * @throws HearthError `invalid_value`.
 */
export function parseModelScopeReference(text: string): ModelScopeReference {
  const reference = prefix.test(text.trim()) ? parseName(text.trim()) : parseUrl(text.trim());
  if (reference !== null) return reference;
  throw new HearthError(
    'invalid_value',
    `${JSON.stringify(text.slice(0, 200))} names no model of ModelScope: use modelscope:owner/name, modelscope:owner/name:quantization or https://modelscope.cn/models/owner/name.`,
    { field: 'model' },
  );
}

function parseName(text: string): ModelScopeReference | null {
  const [, path = '', quantization] = /^[^:]+:([^:@]+)(?:[:@]([\w.-]{1,64}))?$/.exec(text) ?? [];
  const repository = parseRepositoryName(path);
  return repository && { repository, ...omitUndefined({ quantization }) };
}

function parseUrl(text: string): ModelScopeReference | null {
  if (!URL.canParse(text)) return null;
  let parts: readonly string[];
  try {
    parts = new URL(text).pathname
      .replaceAll(/^\/+|\/+$/g, '')
      .split('/')
      .map(decodeURIComponent);
  } catch {
    return null;
  }
  const [models, owner = '', name = '', view, ...rest] = parts;
  const repository = parseRepositoryName(`${owner}/${name}`);
  if (models !== 'models' || repository === null) return null;
  if (view === undefined || (views.has(view) && rest.length === 0)) return { repository };
  // The address bar has `file/view/master/PATH`, the download button `resolve/master/PATH`.
  const [branch, ...path] = view === 'file' && rest[0] === 'view' ? rest.slice(1) : rest;
  const file = path.join('/');
  const isFile = (view === 'file' || view === 'resolve') && branch === 'master';
  return isFile && pathFault(file) === null ? { repository, file } : null;
}
