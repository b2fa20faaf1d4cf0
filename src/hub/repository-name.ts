import type { RepositoryName } from './hub.ts';

/** As the hub allows them: fit for a folder's name, for an address, and neither hidden nor `..`. */
const namePart = /^(?!.*(?:\.\.|--))[\dA-Za-z_](?:[\w.-]{0,94}[\w-])?$/;
/** What Windows keeps for devices, whatever follows the first dot. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Reads `owner/name`; null for what can be no repository on the hub. */
export function parseRepositoryName(text: string): RepositoryName | null {
  const [owner = '', name = '', ...rest] = text.split('/');
  const isName = [owner, name].every((part) => namePart.test(part) && !reserved.test(part));
  return rest.length === 0 && isName ? { owner, name } : null;
}
