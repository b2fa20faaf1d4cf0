import { openRuntimes } from '../../server/offline/runtimes.ts';
import { ok, warning, type DoctorContext, type Finding } from './check.ts';

/** Whether a runtime is there that runs models. */
export async function checkRuntime(context: DoctorContext): Promise<readonly Finding[]> {
  if (context.settings === null) return [skipped];
  const runtimes = await (await openRuntimes(context)).list();
  const best = runtimes.find(({ supportedFormats }) => supportedFormats.includes('gguf'));
  if (best === undefined) {
    return [
      warning(
        'No runtime is installed.',
        'Install one with `hearth runtime install`; the first load of a model tries to as well. ' +
          'Both need access to github.com, or python3 with pip and a package index.',
      ),
    ];
  }
  const more = runtimes.length === 1 ? '' : `, and ${runtimes.length - 1} more`;
  return [ok(`${best.name} ${best.version} from ${best.source}${more}.`)];
}

/** For checks that depend on the settings. */
export const skipped = warning('Not checked.', 'Correct the settings first.');
