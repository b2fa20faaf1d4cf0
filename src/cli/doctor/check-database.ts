import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isPostgresUrl } from '../../kernel/postgres-url.ts';
import { databaseUrl } from '../../settings/database-url.ts';
import { formatPath } from '../ui/format-path.ts';
import { openSqlite, sqliteResultCode, sqliteResultCodes } from '../../platform/sqlite.ts';
import { ok, problem, warning, type DoctorContext, type Finding } from './check.ts';
import { checkPostgres } from './check-postgres.ts';
import { describeGrowth } from './database-growth.ts';

/** Whether the database can be read and is not damaged. */
export async function checkDatabase(context: DoctorContext): Promise<readonly Finding[]> {
  const { settings } = context;
  const file = databaseUrl(context.home, settings);
  if (isPostgresUrl(file)) return checkPostgres(file, settings);
  const shown = formatPath(file);
  if (!existsSync(file)) return [ok('It does not exist yet; the first start creates it.')];
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

function damaged(file: string, reason: string): Finding {
  return problem(
    `${file} is damaged: ${reason}.`,
    'Stop the server, then run `hearth store restore BACKUP`; or move the file away to start with an empty one.',
  );
}
