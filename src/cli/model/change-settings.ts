import {
  getModelSettings,
  type ModelSettingsResult,
  setModelSettings,
  type SettingsFields,
} from '../../api/v1/models/model-settings-schema.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';

/** The values of a record, without fields that the server adds. */
export function valuesOf(record: ModelSettingsResult): SettingsFields {
  const { model: _model, outdated_instances: _instances, ...values } = record;
  return values;
}

/**
 * Changes the settings of a model or profile on the server.
 *
 * @throws ApiError
 */
export async function changeSettings(
  client: Client,
  model: string,
  change: (present: SettingsFields) => SettingsFields,
  signal: AbortSignal,
): Promise<ModelSettingsResult> {
  const params = { model };
  const present = await client
    .call(getModelSettings, { params }, signal)
    .then(valuesOf, (error: unknown) => {
      // The name may become a new profile.
      if (error instanceof ApiError && error.code === 'model_not_found') return {};
      throw error;
    });
  const body = change(present);
  return client.call(setModelSettings, { params, body }, signal);
}
