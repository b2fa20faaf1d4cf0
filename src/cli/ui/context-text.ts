import type { ChosenConfig } from '../../api/v1/models/model-schema.ts';
import { formatBytes, formatCount } from '../../kernel/format.ts';

/** `32,768 x 2`: the context length, and how many whole contexts the cache holds. */
export function contextSize({
  context_length: length,
  parallel = 1,
  cache_contexts: contexts = parallel,
}: ChosenConfig): string {
  return contexts === 1 ? formatCount(length) : `${formatCount(length)} x ${contexts}`;
}

/**
 * `32,768 x 2 (cache for 2 whole contexts, shared by 4 requests, 2.1 GB; chosen by free memory)`
 *
 * @param cacheBytes Size of the cache; 0 or absent: unknown.
 */
export function describeContext(config: ChosenConfig, cacheBytes = 0): string {
  const { context_length: length, parallel = 1, chosen_by_memory: chosen = [] } = config;
  const { cache_contexts: contexts = parallel } = config;
  const details = [
    contexts === 1 ? 'cache for one whole context' : `cache for ${contexts} whole contexts`,
    ...(contexts < parallel ? [`shared by ${parallel} requests`] : []),
    ...(cacheBytes > 0 ? [formatBytes(cacheBytes)] : []),
  ].join(', ');
  return `${formatCount(length)} x ${contexts} (${details}${reasonOf(chosen)})`;
}

function reasonOf(chosen: NonNullable<ChosenConfig['chosen_by_memory']>): string {
  if (chosen.length === 0) return '';
  if (chosen.length > 1) return '; chosen by free memory';
  const [what] = chosen;
  return `; ${what === 'context_length' ? 'context' : 'number of contexts'} chosen by free memory`;
}
