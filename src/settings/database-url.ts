import { join } from 'node:path';
import type { Settings } from './settings-table.ts';

/** The file of the database, or its URL. */
export function databaseUrl(
  home: string,
  settings: Partial<Pick<Settings, 'store.url'>> | null,
): string {
  return settings?.['store.url'] ?? join(home, 'hearth.db');
}
