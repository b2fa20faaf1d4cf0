import type { Logger } from '../observability/logger.ts';
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
  const running = store.fillSearchIndex(signal).then(
    (count) => {
      if (count > 0) logger.info({ count }, 'older conversations indexed for the search');
    },
    (err: unknown) => {
      if (!signal.aborted) logger.warn({ err }, 'older conversations not indexed for the search');
    },
  );
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
