import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../../format.ts';
import type { Settings } from '../../config/settings-table.ts';
import { formatPath } from '../ui/format-path.ts';
import { openSqlite, sqliteResultCode, sqliteResultCodes } from '../../sqlite.ts';
import { ok, problem, warning, type DoctorContext, type Finding } from './check.ts';

/** Whether the database can be read and is not damaged. */
export async function checkDatabase({
  home,
  settings,
}: DoctorContext): Promise<readonly Finding[]> {
  const file = settings?.['store.url'] ?? join(home, 'hearth.db');
  const shown = formatPath(file);
  if (!existsSync(file)) return [ok('There is none yet; the first start creates it.')];
  try {
    const connection = openSqlite(file, { isReadOnly: true, lockWaitMs: 1000 });
    try {
      const rows = connection.prepare('pragma quick_check(1)').all() as {
        readonly quick_check: string;
      }[];
      const result = rows[0]?.quick_check ?? 'no answer';
      if (result !== 'ok') return [damaged(shown, result)];
      const { size } = await stat(file);
      return [ok(`${shown} is not damaged.`), ...describeGrowth(size, settings ?? {})];
    } finally {
      connection.close();
    }
  } catch (error) {
    const code = sqliteResultCode(error);
    if (code === sqliteResultCodes.busy) {
      return [warning(`${shown} is in use and could not be checked.`, 'Run this command again.')];
    }
    if (code === sqliteResultCodes.corrupt || code === sqliteResultCodes.notADatabase) {
      return [damaged(shown, error instanceof Error ? error.message : String(error))];
    }
    throw error;
  }
}

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
      `The database has ${formatBytes(sizeBytes)}, and nothing deletes old conversations.`,
      'Set store.retentionDays or store.maxBytes with `hearth config set`, or delete some with `hearth store prune`.',
    ),
  ];
}

function damaged(file: string, reason: string): Finding {
  return problem(
    `${file} is damaged: ${reason}.`,
    'Stop the server, then run `hearth store restore BACKUP`; or move the file away to start with an empty one.',
  );
}
