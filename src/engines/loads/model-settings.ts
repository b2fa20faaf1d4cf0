import * as z from 'zod';
import type { Logger } from '../../kernel/logger.ts';
import type { ModelAlias } from '../../library/model-aliases.ts';
import type { ModelSelection } from '../../library/model.ts';
import { readIfPresent, replacePrivateFile } from '../../platform/files/private-file.ts';
import type { InstanceSettings } from './instance.ts';
import {
  settingsInForce,
  settingsRecordSchema,
  type SettingsInForce,
  type SettingsRecord,
} from './settings-record.ts';

const currentVersion = 2;
/** The first version had only options of loads. */
const fileSchema = z.union([
  z.object({
    version: z.literal(currentVersion),
    models: z.record(z.string(), settingsRecordSchema),
  }),
  z.object({
    version: z.undefined().optional(),
    models: z.record(
      z.string(),
      settingsRecordSchema.shape.load.transform((load) => ({ load })),
    ),
  }),
]);

type Named = { readonly model: { readonly key: string } } & Pick<ModelSelection, 'alias'>;

/** The settings of models and profiles by name, stored in a file of the home folder. */
export class ModelSettings {
  readonly #file: string;
  #records: ReadonlyMap<string, SettingsRecord>;
  #writing: Promise<void> = Promise.resolve();
  readonly #listeners: (() => void)[] = [];

  private constructor(file: string, records: ReadonlyMap<string, SettingsRecord>) {
    this.#file = file;
    this.#records = records;
  }

  /** Reads the file. An invalid file is reported, and stays in place until a record is changed. */
  static async open(file: string, logger: Logger): Promise<ModelSettings> {
    try {
      const text = await readIfPresent(file);
      if (text === undefined) return new ModelSettings(file, new Map());
      const { models } = fileSchema.parse(JSON.parse(text));
      const records = Object.entries(models) as [string, SettingsRecord][];
      return new ModelSettings(file, new Map(records));
    } catch (err) {
      logger.warn({ err, file }, 'the settings of models are invalid; models run without them');
      return new ModelSettings(file, new Map());
    }
  }

  /** @param name Key of a model, or a profile. */
  get(name: string): SettingsRecord | undefined {
    return this.#records.get(name);
  }

  /** The models and profiles that have a record, by name. */
  list(): readonly (readonly [name: string, record: SettingsRecord])[] {
    return [...this.#records].toSorted(([one], [other]) => (one < other ? -1 : 1));
  }

  /** The profiles, as aliases for their models. */
  profiles(): readonly ModelAlias[] {
    return this.list().flatMap(([name, { base }]) =>
      base === undefined ? [] : [{ name, model: base }],
    );
  }

  /** The settings in force for a model, under the name by which it was found. */
  inForce({ model: { key }, alias }: Named): SettingsInForce {
    if (alias === undefined) return this.#records.get(key) ?? {};
    return settingsInForce(this.#records, key, alias);
  }

  /** True if an instance is pinned by its model or profile, or by a profile that shares the model's instances. */
  isPinned({ model, alias }: Named): boolean {
    const own = this.inForce({ model, ...(alias !== undefined && { alias }) });
    if (own.isPinned === true || alias !== undefined) return own.isPinned === true;
    for (const [name, { base }] of this.#records) {
      if (base?.split('@')[0] !== model.key) continue;
      const { isPinned, profile } = this.inForce({ model, alias: name });
      if (isPinned === true && profile === undefined) return true;
    }
    return false;
  }

  ofInstance(selection: Named): InstanceSettings {
    return { inForce: this.inForce(selection), isPinned: this.isPinned(selection) };
  }

  /** Adds a listener that is called after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Names of the models and profiles that are pinned. */
  pinned(): readonly string[] {
    return this.list().flatMap(([name, { isPinned }]) => (isPinned === true ? [name] : []));
  }

  /** Replaces a record. Options of loads take effect with the next load. */
  async set(name: string, record: SettingsRecord): Promise<void> {
    await this.#write(new Map([...this.#records, [name, record]]));
  }

  /** @returns True if there was such a record. */
  async delete(name: string): Promise<boolean> {
    const rest = new Map(this.#records);
    const isDeleted = rest.delete(name);
    if (isDeleted) await this.#write(rest);
    return isDeleted;
  }

  async #write(records: ReadonlyMap<string, SettingsRecord>): Promise<void> {
    this.#records = records;
    for (const listener of this.#listeners) listener();
    const file = { version: currentVersion, models: Object.fromEntries(records) };
    const content = `${JSON.stringify(file, null, 2)}\n`;
    // Writes in the order of the calls, so that the file has the last change.
    this.#writing = this.#writing
      .catch(() => {})
      .then(() => replacePrivateFile(this.#file, content));
    await this.#writing;
  }
}
