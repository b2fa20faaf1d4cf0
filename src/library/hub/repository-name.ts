import { isReservedName } from '../folder-name.ts';
import type { RepositoryName } from './hub.ts';

/** Names that the hub allows: valid as folder name and in URLs, and neither hidden nor `..`. */
const namePart = /^(?!.*(?:\.\.|--))[\dA-Za-z_](?:[\w.-]{0,94}[\w-])?$/;

/** Parses `owner/name`; null if it is not a valid repository name. */
export function parseRepositoryName(text: string): RepositoryName | null {
  const [owner = '', name = '', ...rest] = text.split('/');
  const isName = [owner, name].every((part) => namePart.test(part) && !isReservedName(part));
  return rest.length === 0 && isName ? { owner, name } : null;
}
