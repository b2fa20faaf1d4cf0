import * as z from 'zod';
import type { Logger } from '../../kernel/logger.ts';
import { readIfPresent, replacePrivateFile } from '../../platform/files/private-file.ts';
import type { LoadOptions } from './load-options.ts';

const keptSchema = z.object({
  contextLength: z.int().positive().optional(),
  parallel: z.int().positive().optional(),
  evalBatchSize: z.int().positive().optional(),
  hasFlashAttention: z.boolean().optional(),
  offloadsKvCacheToGpu: z.boolean().optional(),
  expertCount: z.int().positive().optional(),
  gpuLayers: z.int().nonnegative().optional(),
  speculation: z.enum(['off', 'ngram']).optional(),
  draftModel: z.string().optional(),
  ttlSeconds: z.number().positive().optional(),
});
const fileSchema = z.object({ models: z.record(z.string(), keptSchema) });

/** Options that are kept for the loads of a model. */
export type KeptLoadOptions = Pick<LoadOptions, keyof z.infer<typeof keptSchema>>;

/** The options that are kept for models, in a file of the home folder. */
export class ModelSettings {
  readonly #file: string;
  #models: ReadonlyMap<string, KeptLoadOptions>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, models: ReadonlyMap<string, KeptLoadOptions>) {
    this.#file = file;
    this.#models = models;
  }

  /** Reads the file. One that is invalid is reported, and stays until a model is changed. */
  static async open(file: string, logger: Logger): Promise<ModelSettings> {
    try {
      const text = await readIfPresent(file);
      if (text === undefined) return new ModelSettings(file, new Map());
      const { models } = fileSchema.parse(JSON.parse(text));
      return new ModelSettings(
        file,
        new Map(Object.entries(models) as [string, KeptLoadOptions][]),
      );
    } catch (err) {
      logger.warn({ err, file }, 'the settings of models are invalid; models load without them');
      return new ModelSettings(file, new Map());
    }
  }

  /** @param key of the model */
  get(key: string): KeptLoadOptions | undefined {
    return this.#models.get(key);
  }

  /** The models that have settings, by key. */
  list(): readonly (readonly [key: string, options: KeptLoadOptions])[] {
    return [...this.#models].toSorted(([one], [other]) => (one < other ? -1 : 1));
  }

  /** Replaces the settings of a model; they take effect with its next load. */
  async set(key: string, options: KeptLoadOptions): Promise<void> {
    await this.#write(new Map([...this.#models, [key, options]]));
  }

  /** @returns whether the model had settings */
  async delete(key: string): Promise<boolean> {
    const rest = new Map(this.#models);
    const isDeleted = rest.delete(key);
    if (isDeleted) await this.#write(rest);
    return isDeleted;
  }

  async #write(models: ReadonlyMap<string, KeptLoadOptions>): Promise<void> {
    this.#models = models;
    const content = `${JSON.stringify({ models: Object.fromEntries(models) }, null, 2)}\n`;
    // In the order of the calls, so that the last change stays.
    this.#writing = this.#writing
      .catch(() => {})
      .then(() => replacePrivateFile(this.#file, content));
    await this.#writing;
  }
}
