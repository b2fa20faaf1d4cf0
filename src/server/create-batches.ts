import { Batches, type BatchesOptions } from '../chat/batches/batches.ts';
import type { Settings } from '../settings/settings-table.ts';
import { leaseMs } from './share-store.ts';
import type { Indexer } from '../chat/documents/search/indexer.ts';
import { createBatchSender, type BatchSenderOptions } from '../api/openai/batches/send-request.ts';

const limits = {
  /** Few, since batches wait for all other requests anyway. */
  concurrency: 4,
  /** OpenAI's limits, or less. */
  maxRequests: 50_000,
  maxFileBytes: 100 * 1024 * 1024,
  maxStorageBytes: 4 * 1024 ** 3,
  maxActive: 32,
  retentionDays: 30,
};

/** The files and batches of a store. */
export function createBatches(
  settings: Settings,
  {
    homeId,
    ...parts
  }: Pick<BatchesOptions, 'store' | 'logger' | 'parseJson'> & { readonly homeId: string },
): Batches {
  return new Batches({
    ...parts,
    holder: homeId,
    leaseMs,
    pollMs: Math.min(5000, leaseMs / 6),
    maxLineBytes: settings['limits.bodyBytes'],
    ...limits,
  });
}

/**
 * Runs batches and indexes files if their endpoints are enabled.
 *
 * @returns A function that stops them.
 */
export async function startBatches(
  { batches, indexer }: { readonly batches: Batches; readonly indexer: Indexer },
  settings: Settings,
  parts: Omit<BatchSenderOptions, 'isTokenRequired'>,
): Promise<() => Promise<void>> {
  if (settings['surfaces.openai']) {
    const isTokenRequired = settings['auth.required'];
    const send = createBatchSender({ ...parts, isTokenRequired });
    await batches.start(send);
    indexer.start(send);
  }
  return async () => {
    await Promise.all([batches.close(), indexer.close()]);
  };
}
