import { join } from 'node:path';
import * as z from 'zod';
import { ModelSettings } from '../engines/loads/model-settings.ts';
import { loadSettingsSchema, toKeptLoadOptions } from '../api/v1/models/model-settings-schema.ts';
import type { ModelLibrary } from '../library/model.ts';
import type { Logger } from '../kernel/logger.ts';
import { parseJsonDocument } from '../kernel/json-document.ts';
import { readIfPresent } from '../platform/files/private-file.ts';

const presetsSchema = z.object({
  models: z.record(z.string(), z.object({ load: loadSettingsSchema.optional() })),
});

/**
 * The options that are kept for models, in `models.json` of the home folder. Takes over those that `hearth load --save` wrote to
 * `presets.json` before the server kept them.
 */
export async function openModelSettings(
  home: string,
  { library, logger }: { readonly library: Pick<ModelLibrary, 'find'>; readonly logger: Logger },
): Promise<ModelSettings> {
  const file = join(home, 'models.json');
  const isNew = (await readIfPresent(file)) === undefined;
  const settings = await ModelSettings.open(file, logger);
  if (!isNew) return settings;
  try {
    const text = await readIfPresent(join(home, 'presets.json'));
    if (text === undefined) return settings;
    const { models } = presetsSchema.parse(parseJsonDocument(text).value);
    for (const [name, { load }] of Object.entries(models)) {
      if (load === undefined) continue;
      // The command kept them by the name that was typed.
      const found = await library.find(name).catch(() => undefined);
      await settings.set(found?.model.key ?? name, toKeptLoadOptions(load));
    }
  } catch (err) {
    logger.warn({ err }, 'the saved settings of models in presets.json could not be taken over');
  }
  return settings;
}
