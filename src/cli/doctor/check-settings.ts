import { join } from 'node:path';
import { describeUnknownVariables, resolveSettings } from '../../settings/settings.ts';
import { SettingsError } from '../../settings/settings-error.ts';
import { ok, problem, warning, type DoctorContext, type Finding } from './check.ts';

/** Whether config.json and the variables are valid. */
export async function checkSettings({
  home,
  environment,
}: DoctorContext): Promise<readonly Finding[]> {
  const unknown = describeUnknownVariables(environment).map((each) =>
    warning(each, 'Correct or remove the variable.'),
  );
  const file = join(home, 'config.json');
  try {
    const { warnings } = await resolveSettings({ home, environment, flags: {} });
    const ignored = warnings.map((each) => warning(each, `Correct or remove it in ${file}.`));
    const findings = [...ignored, ...unknown];
    return findings.length === 0 ? [ok('All settings are valid.')] : findings;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const errors = error.errors.length === 0 ? [error] : error.errors;
    return [
      ...errors.map(({ message, fileRemedy }) =>
        problem(message, fileRemedy ?? `Correct it; the settings are in ${file}.`),
      ),
      ...unknown,
    ];
  }
}
