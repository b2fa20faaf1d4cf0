import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { ModelSettings } from '../engines/loads/model-settings.ts';
import { mergeRecords } from '../engines/loads/settings-record.ts';
import {
  loadSettingsSchema,
  settingsFields,
  toRecord,
} from '../api/v1/models/model-settings-schema.ts';
import type { ModelLibrary } from '../library/model.ts';
import type { Logger } from '../kernel/logger.ts';
import { parseJsonDocument } from '../kernel/json-document.ts';
import { readIfPresent } from '../platform/files/private-file.ts';

const presetsSchema = z.object({
  models: z.record(
    z.string(),
    z.object({
      load: loadSettingsSchema.optional(),
      chat: z
        .object({ ...settingsFields, context_length: loadSettingsSchema.shape.context_length })
        .optional(),
    }),
  ),
});

/**
 * Imports `presets.json`, in which `hearth load --save` and `/save` of `hearth chat` kept presets before the server
 * stored them. Presets that the server already has take precedence.
 */
export async function takeOverPresets(
  settings: ModelSettings,
  {
    home,
    library,
    logger,
  }: {
    readonly home: string;
    readonly library: Pick<ModelLibrary, 'find'>;
    readonly logger: Logger;
  },
): Promise<void> {
  const file = join(home, 'presets.json');
  try {
    const text = await readIfPresent(file);
    if (text === undefined) return;
    const { models } = presetsSchema.parse(parseJsonDocument(text).value);
    for (const [
      name,
      { load, chat: { context_length: contextLength, ...chat } = {} },
    ] of Object.entries(models)) {
      // The file has the names as they were typed.
      const found = await library.find(name).catch(() => undefined);
      const key = found?.model.key ?? name;
      const saved = toRecord({ ...chat, load: { context_length: contextLength, ...load } });
      await settings.set(key, mergeRecords(saved, settings.get(key) ?? {}));
    }
    await rm(file);
  } catch (err) {
    logger.warn({ err }, 'the saved settings of models in presets.json could not be taken over');
  }
}
