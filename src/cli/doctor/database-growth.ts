import { formatBytes } from '../../kernel/format.ts';
import type { Settings } from '../../settings/settings-table.ts';
import { warning, type Finding } from './check.ts';

const largeBytes = 1e9;

/** A warning if the database is large and nothing limits it. */
export function describeGrowth(
  sizeBytes: number,
  settings: Partial<Pick<Settings, 'store.retentionDays' | 'store.maxBytes'>>,
): readonly Finding[] {
  const isLimited =
    settings['store.retentionDays'] !== undefined || settings['store.maxBytes'] !== undefined;
  if (isLimited || sizeBytes < largeBytes) return [];
  return [
    warning(
      `The database takes ${formatBytes(sizeBytes)}, and nothing deletes old conversations.`,
      'Set store.retentionDays or store.maxBytes with `hearth config set`, or delete some with `hearth store prune`.',
    ),
  ];
}
