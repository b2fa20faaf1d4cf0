import { Batches, type BatchesOptions } from '../chat/batches/batches.ts';
import type { Settings } from '../settings/settings-table.ts';
import { createBatchSender, type BatchSenderOptions } from '../api/openai/batches/send-request.ts';

/** The files and batches of the store, with the limits of the settings. */
export function createBatches(
  settings: Settings,
  {
    homeId,
    ...parts
  }: Pick<BatchesOptions, 'store' | 'logger' | 'parseJson'> & { readonly homeId: string },
): Batches {
  const leaseMs = settings['store.leaseSeconds'] * 1000;
  return new Batches({
    ...parts,
    holder: homeId,
    leaseMs,
    pollMs: Math.min(5000, leaseMs / 6),
    concurrency: settings['batches.concurrency'],
    maxRequests: settings['batches.maxRequests'],
    maxLineBytes: settings['limits.bodyBytes'],
    maxFileBytes: settings['batches.maxFileBytes'],
    maxStorageBytes: settings['batches.maxStorageBytes'],
    maxActive: settings['batches.maxActive'],
    retentionDays: settings['batches.retentionDays'],
  });
}

/**
 * Runs the batches where their endpoints are served.
 *
 * @returns what stops them.
 */
export async function startBatches(
  batches: Batches,
  settings: Settings,
  parts: Omit<BatchSenderOptions, 'isTokenRequired'>,
): Promise<() => Promise<void>> {
  if (settings['surfaces.openai']) {
    const isTokenRequired = settings['auth.required'];
    await batches.start(createBatchSender({ ...parts, isTokenRequired }));
  }
  return () => batches.close();
}
