import type * as z from 'zod';
import { getPreset, type Preset } from '../../api/v1/presets/preset-schema.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Client } from '../client/client.ts';

type PresetRecord = z.output<typeof getPreset.result>;
export type PresetValues = ReturnType<typeof omitUndefined<Preset>>;

/** Reads the values of a preset from the server. @throws ApiError, which lists the presets if the name is unknown. */
export async function readStoredPreset(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<PresetValues> {
  return valuesOf(await client.call(getPreset, { params: { preset: name } }, signal));
}

/** Fields of a record without its name and the fields that the server adds. */
export function valuesOf(record: PresetRecord): PresetValues {
  const { name: _name, revision: _revision, updated_at: _time, ...values } = record;
  return omitUndefined(values);
}
