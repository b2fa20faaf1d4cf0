import { Mutex } from '../kernel/concurrency/semaphore.ts';
import { HearthError } from '../kernel/errors/errors.ts';

/** Another name for a model. */
export interface ModelAlias {
  /** May have one `*`, which stands for any characters. */
  readonly name: string;
  /** An identifier as `ModelLibrary.find` takes it; not an alias. */
  readonly model: string;
}

/** The setting that keeps the aliases. */
export interface AliasSetting {
  /** Whether `write` has no effect, since a flag or an environment variable sets the aliases. */
  readonly isFixed: boolean;
  read(): Promise<Readonly<Record<string, string>>>;
  /** Removes the alias if the model is undefined. */
  write(name: string, model: string | undefined): Promise<void>;
}

/** The aliases of the models, which may change at any time. */
export interface ModelAliases {
  /** Sorted by name. */
  list(): Promise<readonly ModelAlias[]>;
  /**
   * Adds an alias, or gives it another model. The model need not exist yet.
   *
   * @throws HearthError `invalid_value`; `conflict` if a flag or an environment variable sets the aliases.
   */
  set(name: string, model: string): Promise<void>;
  /**
   * @returns Whether there was such an alias.
   * @throws HearthError `conflict` as `set`.
   */
  remove(name: string): Promise<boolean>;
}

const maxNameLength = 256;

export function createModelAliases(setting: AliasSetting): ModelAliases {
  // A change reads and rewrites the file, so of two concurrent changes one would be lost.
  const changes = new Mutex();

  const list = async (): Promise<readonly ModelAlias[]> =>
    Object.entries(await setting.read())
      .map(([name, model]) => ({ name, model }))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1));

  /** The name as the setting has it, perhaps with other capitals. */
  const storedName = async (name: string): Promise<string | undefined> =>
    (await list()).find((alias) => isSame(alias.name, name))?.name;

  return {
    list,
    set: (name, model) =>
      changes.run(async () => {
        assertAlias({ name, model });
        assertChangeable(setting);
        await setting.write((await storedName(name)) ?? name, model);
      }),
    remove: (name) =>
      changes.run(async () => {
        const stored = await storedName(name);
        if (stored === undefined) return false;
        assertChangeable(setting);
        await setting.write(stored, undefined);
        return true;
      }),
  };
}

/**
 * The alias that a name means: the one with exactly this name, or else the pattern with the longest fixed text.
 * Ignores case.
 */
export function findAlias(aliases: readonly ModelAlias[], name: string): ModelAlias | undefined {
  const exact = aliases.find((alias) => isSame(alias.name, name));
  if (exact !== undefined) return exact;
  return aliases
    .filter((alias) => matches(alias.name, name))
    .toSorted((left, right) => right.name.length - left.name.length)[0];
}

export function isPattern({ name }: ModelAlias): boolean {
  return name.includes('*');
}

function matches(pattern: string, name: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1 || name.length < pattern.length - 1) return false;
  const lowered = name.toLowerCase();
  return (
    lowered.startsWith(pattern.slice(0, star).toLowerCase()) &&
    lowered.endsWith(pattern.slice(star + 1).toLowerCase())
  );
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function assertAlias({ name, model }: ModelAlias): void {
  const isName =
    name !== '' &&
    name === name.trim() &&
    name.length <= maxNameLength &&
    name.split('*').length <= 2;
  const allowed = 'It has 1 to 256 characters, at most one "*", and no space around it.';
  if (!isName)
    throw new HearthError('invalid_value', `The alias is not allowed. ${allowed}`, {
      field: 'alias',
    });
  if (model !== '' && model === model.trim() && model.length <= 512) return;
  throw new HearthError('invalid_value', 'An alias needs the key of a model.', { field: 'model' });
}

function assertChangeable({ isFixed }: AliasSetting): void {
  if (!isFixed) return;
  throw new HearthError(
    'conflict',
    'The aliases are set by a flag or an environment variable of the server, which config.json does not change.',
  );
}
