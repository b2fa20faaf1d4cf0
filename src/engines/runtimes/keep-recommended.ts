import type { Logger } from '../../kernel/logger.ts';
import type { ListedRuntime, RuntimeManager } from './runtime.ts';

interface KeepRecommendedOptions {
  readonly runtimes: Pick<RuntimeManager, 'installed' | 'install'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * After an upgrade of Hearth, installs the build that the new version names, while the old one serves. Does nothing where
 * the user selected a runtime, and where none is installed yet: the first load installs it. A failure is logged.
 */
export async function keepRecommended(options: KeepRecommendedOptions): Promise<void> {
  const { runtimes, logger, signal } = options;
  try {
    if (!isOutdated(await runtimes.installed())) return;
    logger.info('installing the engine runtime that this version of Hearth recommends');
    const { name, version } = await runtimes.install({ signal });
    logger.info(
      { name, version },
      'engine runtime installed; the next loads use it. `hearth runtime ls` lists older ones to remove',
    );
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn(
      { reason },
      'the recommended engine runtime was not installed; an older one serves',
    );
  }
}

/** True if all runtimes for GGUF that Hearth installed are of other versions than the recommended ones. */
function isOutdated(installed: readonly ListedRuntime[]): boolean {
  const ofGguf = installed.filter(({ supportedFormats }) => supportedFormats.includes('gguf'));
  const isCurrent = ofGguf.some((each) => each.isSelected || each.isRecommended);
  return ofGguf.length > 0 && !isCurrent;
}
