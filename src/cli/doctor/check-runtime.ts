import { openRuntimes } from '../local/runtimes.ts';
import { ok, warning, type DoctorContext, type Finding } from './check.ts';

/** Whether a runtime is there that runs models. */
export async function checkRuntime(context: DoctorContext): Promise<readonly Finding[]> {
  if (context.settings === null) return [skipped];
  const [best, ...others] = await (await openRuntimes(context)).list();
  if (best === undefined) {
    return [
      warning(
        'No runtime is installed.',
        'Install one with `hearth runtime install`; otherwise the first load of a model does.',
      ),
    ];
  }
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return [ok(`${best.name} ${best.version} from ${best.source}${more}.`)];
}

/** For checks that depend on the settings. */
export const skipped = warning('It was not checked.', 'Correct the settings first.');
