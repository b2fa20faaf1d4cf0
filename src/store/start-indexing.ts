import type { Logger } from '../kernel/logger.ts';
import type { Store } from './store.ts';

/** Indexes the conversations of an older database while the server runs. */
export function startIndexing({
  store,
  logger,
}: {
  readonly store: Pick<Store, 'fillSearchIndex'>;
  readonly logger: Logger;
}): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const index = async (): Promise<void> => {
    try {
      const count = await store.fillSearchIndex(signal);
      if (count > 0) logger.info({ count }, 'older conversations indexed for the search');
    } catch (err) {
      if (!signal.aborted) logger.warn({ err }, 'older conversations not indexed for the search');
    }
  };
  const running = index();
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
