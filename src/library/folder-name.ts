import { join } from 'node:path';
import { HearthError } from '../kernel/errors/errors.ts';
import { isPrintable } from './printable-text.ts';

const maxCharacters = 128;
const maxFileNameBytes = 255;
/** Separators, characters that Windows reserves, and `@`, which separates a key from its variant. */
const forbidden = /[/\\:*?"<>|@]/g;
/** Device names of Windows, with any extension. They are rejected on all systems, so that models stay portable. */
const reserved =
  /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:\.|$)/iu;

/**
 * True if a file can have this name on all systems. Applies to files of hubs and of uploads. A slash, backslash or
 * colon would make the name another path.
 */
export function isPortableFileName(name: string): boolean {
  return (
    /^[^/\\:*?"<>|]+$/.test(name) &&
    name.isWellFormed() &&
    Buffer.byteLength(name) <= maxFileNameBytes &&
    isPrintable(name) &&
    !isReservedName(name)
  );
}

/** True if Windows opens a device or another file instead of a file or folder with this name. */
export function isReservedName(name: string): boolean {
  return reserved.test(name) || /[. ]$/.test(name);
}

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
    isPrintable(name) &&
    !isReservedName(name) &&
    name.search(forbidden) === -1;
  if (isAllowed) return;
  throw new HearthError(
    'invalid_value',
    `${JSON.stringify(name.slice(0, maxCharacters))} can't be the ${field} of a model: 1 to ${maxCharacters} ` +
      'characters, none of / \\ : * ? " < > | @, no control characters, no dot at the start or end, and no device name of Windows such as CON.',
    { field },
  );
}

/** Publisher of the models that ship with Hearth. */
export const starterPublisher = 'hearth';

/**
 * Checks the publisher of an upload or an import.
 *
 * @throws HearthError `invalid_value` for the starter models' publisher, whose keys must keep their meaning.
 */
export function assertFreePublisher(publisher: string): void {
  if (publisher.toLowerCase() !== starterPublisher) return;
  throw new HearthError(
    'invalid_value',
    `The publisher "${starterPublisher}" is reserved for the models that ship with Hearth. Name another publisher.`,
    { field: 'publisher' },
  );
}

/**
 * The folder for the repository of an upload.
 *
 * @throws HearthError `invalid_value` for a name that is reserved or can't be a folder.
 */
export function repositoryFolder(modelsFolder: string, publisher: string, repo: string): string {
  assertFolderName(publisher, 'publisher');
  assertFreePublisher(publisher);
  assertFolderName(repo, 'repo');
  return join(modelsFolder, publisher, repo);
}

/** Derives a valid folder name from any file name. */
export function folderNameFrom(base: string): string {
  const name = base
    .replaceAll(forbidden, '-')
    .slice(0, maxCharacters)
    .replaceAll(/^[.\s]+|[.\s]+$/g, '');
  return reserved.test(name) ? `model-${name}`.slice(0, maxCharacters) : name;
}
