import type { Logger } from '../../kernel/logger.ts';
import type { ListedRuntime, RuntimeManager } from './runtime.ts';

interface KeepRecommendedOptions {
  readonly runtimes: Pick<RuntimeManager, 'installed' | 'install'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * After an upgrade of Hearth, installs the runtime that the new version recommends; the old runtime serves meanwhile.
 * Does nothing if the user selected a runtime. Does nothing if no runtime is installed yet, since the first load
 * installs one. A failure is only logged.
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

/** True if Hearth has installed runtimes for GGUF, but none of them is recommended or selected. */
function isOutdated(installed: readonly ListedRuntime[]): boolean {
  const ofGguf = installed.filter(({ supportedFormats }) => supportedFormats.includes('gguf'));
  const isCurrent = ofGguf.some((each) => each.isSelected || each.isRecommended);
  return ofGguf.length > 0 && !isCurrent;
}
