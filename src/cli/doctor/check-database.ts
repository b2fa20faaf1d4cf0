import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isPostgresUrl, withoutPassword } from '../../kernel/postgres-url.ts';
import { databaseUrl } from '../../settings/resolve-path.ts';
import { formatPath } from '../ui/format-path.ts';
import { openSqlite, sqliteResultCode, sqliteResultCodes } from '../../platform/sqlite.ts';
import { type DoctorContext, type Finding, ok, problem, warning } from './check.ts';
import { inspectPostgres } from '../../server/offline/store.ts';
import { formatBytes } from '../../kernel/format.ts';
import type { Settings } from '../../settings/settings-table.ts';

/** Checks that the database can be read and is not damaged. */
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

/** Checks that the PostgreSQL database can be reached and used. */
export async function checkPostgres(
  url: string,
  settings: DoctorContext['settings'],
): Promise<readonly Finding[]> {
  const shown = withoutPassword(url);
  const state = await inspectPostgres(url);
  if ('reason' in state) {
    return [problem(`${shown} can't be used: ${state.reason}.`, `${state.remedy}.`)];
  }
  const { majorVersion, isReadOnly, schema, newestSchema, sizeBytes } = state;
  if (schema > newestSchema) {
    return [
      problem(
        `${shown} was written by a newer Hearth (schema ${schema}; this one knows up to ${newestSchema}).`,
        'Install that version again, or use another database.',
      ),
    ];
  }
  return [
    ok(`${shown} responds (PostgreSQL ${majorVersion}).`),
    ...(isReadOnly
      ? [problem(`${shown} is read-only.`, 'Set store.url to the primary server.')]
      : []),
    ...(schema < newestSchema
      ? [
          warning(
            `${shown} has schema ${schema} of ${newestSchema}.`,
            'The next start of the server migrates it, as does `hearth store migrate`.',
          ),
        ]
      : []),
    ...describeGrowth(sizeBytes, settings ?? {}),
  ];
}

const largeBytes = 1e9;

/** Warns if the database is large and no setting limits it. */
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
