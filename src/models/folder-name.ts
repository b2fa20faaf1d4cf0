import { HearthError } from '../contract/errors.ts';
import { isPrintable } from './printable-text.ts';

const maxCharacters = 128;
/** Separators, characters that Windows reserves, and the mark between a key and its variant. */
const forbidden = /[/\\:*?"<>|@]/g;

/**
 * Checks a publisher's or repository's name before it becomes a folder.
 *
 * @throws HearthError `invalid_value`, naming the rule.
 */
export function assertFolderName(name: string, field: 'publisher' | 'repo'): void {
  const isAllowed =
    name.length > 0 &&
    name.length <= maxCharacters &&
    name === name.trim() &&
    !name.startsWith('.') &&
    !name.endsWith('.') &&
    isPrintable(name) &&
    name.search(forbidden) === -1;
  if (isAllowed) return;
  throw new HearthError(
    'invalid_value',
    `${JSON.stringify(name.slice(0, maxCharacters))} can't be the ${field} of a model: 1 to ${maxCharacters} ` +
      'characters, none of / \\ : * ? " < > | @, no control characters, and no dot at the start or end.',
    { field },
  );
}

/** Derives a folder name from a file name of any form. */
export function folderNameFrom(base: string): string {
  return base
    .replaceAll(forbidden, '-')
    .slice(0, maxCharacters)
    .replaceAll(/^[.\s]+|[.\s]+$/g, '');
}
