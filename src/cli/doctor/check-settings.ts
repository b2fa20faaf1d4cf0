import { join } from 'node:path';
import { findUnknownVariables, loadSettings } from '../../config/settings.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { ok, problem, warning, type DoctorContext, type Finding } from './check.ts';

/** Whether config.json and the variables are valid. */
export async function checkSettings({
  home,
  environment,
}: DoctorContext): Promise<readonly Finding[]> {
  const unknown = findUnknownVariables(environment).map(({ name, nearest }) =>
    warning(
      `The variable ${name} is not a setting.`,
      nearest === undefined ? `Remove ${name}.` : `Did you mean ${nearest}?`,
    ),
  );
  try {
    await loadSettings({ home, environment, flags: {} });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [
      problem(
        error.message,
        error.fileRemedy ?? `Correct it; the settings are in ${join(home, 'config.json')}.`,
      ),
      ...unknown,
    ];
  }
  return [ok('All settings are valid.'), ...unknown];
}
