import { HearthError } from '../../kernel/errors/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import { RequestRecord } from '../../kernel/request/request-record.ts';
import type { Engines } from '../engines.ts';

/**
 * Loads models when the server starts. They stay loaded, like models that are loaded by name. A failed load is logged
 * and does not affect the others.
 * @param models Keys of models. Each is loaded once, even if it is listed twice.
 */
export async function preloadModels(options: {
  readonly pool: Pick<Engines, 'load' | 'isLoaded'>;
  readonly models: readonly string[];
  /** Models and profiles that are pinned by their settings. */
  readonly pinned: readonly string[];
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { pool, signal } = options;
  const requestId = 'preload';
  const logger = options.logger.child({ requestId });
  const caller = {
    tokenId: null,
    clientKey: requestId,
    modelScope: null,
    hasPermission: () => true,
  };
  const load = async (model: string): Promise<void> => {
    try {
      const record = RequestRecord.detached(requestId);
      await pool.load(model, {}, { requestId, logger, caller, record, signal });
    } catch (err) {
      const isStopping = err instanceof HearthError && err.code === 'shutting_down';
      if (!isStopping && !signal.aborted) logger.error({ err, model }, 'preload failed');
    }
  };
  await Promise.all([...new Set(options.models)].map(load));
  for (const name of options.pinned) {
    // A name that does not exist is reported by `load`.
    if (!(await pool.isLoaded(name).catch(() => false))) await load(name);
  }
}
