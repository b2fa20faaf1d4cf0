import { Mutex } from '../kernel/concurrency/semaphore.ts';
import { HearthError } from '../kernel/errors/errors.ts';

/** One of the models that an alias may stand for. */
export interface ChainEntry {
  /** An identifier that `ModelLibrary.find` accepts; not an alias. */
  readonly model: string;
  /** `loaded`: use the model only while it is loaded. */
  readonly when?: 'loaded' | undefined;
  /** Maximum time that a request waits in the model's queue. */
  readonly maxWaitSeconds?: number | undefined;
}

/** Another name for a model. */
export interface ModelAlias {
  /** May have one `*`, which stands for any characters. */
  readonly name: string;
  /** An identifier that `ModelLibrary.find` accepts; not an alias. For a chain, its first model. */
  readonly model: string;
  /** The models in the order in which they are tried; absent for an alias of a single model. */
  readonly chain?: readonly ChainEntry[];
}

/** The models of an alias, in the format of the setting. */
export type AliasModels = string | readonly (string | ChainEntry)[];

/** The setting that keeps the aliases. */
export interface AliasSetting {
  /** True if `write` has no effect, since a flag or an environment variable sets the aliases. */
  readonly isFixed: boolean;
  read(): Promise<Readonly<Record<string, AliasModels>>>;
  /** Removes the alias if the models are undefined. */
  write(name: string, models: AliasModels | undefined): Promise<void>;
}

/** Aliases of models, which users may change at any time. */
export interface ModelAliases {
  /** Sorted by name. */
  list(): Promise<readonly ModelAlias[]>;
  /**
   * Adds an alias, or changes its models. The models need not exist yet.
   *
   * @throws HearthError `invalid_value`; `conflict` if a flag or an environment variable sets the aliases.
   */
  set(name: string, models: AliasModels): Promise<void>;
  /**
   * @returns False if there was no such alias.
   * @throws HearthError `conflict` as `set`.
   */
  remove(name: string): Promise<boolean>;
}

const maxNameLength = 256;

export function createModelAliases(setting: AliasSetting): ModelAliases {
  // Serializes changes: each rewrites the setting, so concurrent changes could be lost.
  const changes = new Mutex();

  const list = async (): Promise<readonly ModelAlias[]> =>
    Object.entries(await setting.read())
      .map(([name, models]) => toAlias(name, models))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1));

  /** The alias's name in the setting, which may differ in case. */
  const storedName = async (name: string): Promise<string | undefined> =>
    (await list()).find((alias) => isSameName(alias.name, name))?.name;

  return {
    list,
    set: (name, models) =>
      changes.run(async () => {
        assertAlias(toAlias(name, models));
        assertChangeable(setting);
        await setting.write((await storedName(name)) ?? name, models);
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

function toAlias(name: string, models: AliasModels): ModelAlias {
  if (typeof models === 'string') return { name, model: models };
  const chain = models.map((entry) => (typeof entry === 'string' ? { model: entry } : entry));
  return { name, model: chain[0]?.model ?? '', chain };
}

/**
 * Finds the alias for a name: the alias with exactly this name, or else the matching pattern with the longest fixed
 * text. Ignores case.
 */
export function findAlias(aliases: readonly ModelAlias[], name: string): ModelAlias | undefined {
  const exact = aliases.find((alias) => isSameName(alias.name, name));
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

export function isSameName(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function assertAlias({ name, model, chain = [{ model }] }: ModelAlias): void {
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
  const isModel = ({ model: each }: ChainEntry): boolean =>
    each !== '' && each === each.trim() && each.length <= 512;
  if (chain.length > 0 && chain.every(isModel)) return;
  throw new HearthError('invalid_value', 'An alias needs the key of a model.', { field: 'model' });
}

function assertChangeable({ isFixed }: AliasSetting): void {
  if (!isFixed) return;
  throw new HearthError(
    'conflict',
    'The aliases are set by a flag or an environment variable of the server, which config.json does not change.',
  );
}
