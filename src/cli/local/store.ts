import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '../../config/settings.ts';
import type { Settings } from '../../config/settings-table.ts';
import { isHomeInUse } from '../../home/home-lock.ts';
import { createLogger } from '../../observability/logger.ts';
import { createSqliteStore } from '../../store/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';
import { createMigrationView } from '../ui/migration-progress.ts';

interface LocalStore {
  readonly store: Store;
  readonly settings: Settings;
}

/** Works on the database of the home folder; a server may run. */
export async function withStore<Result>(
  context: CommandContext,
  work: (local: LocalStore) => Promise<Result>,
): Promise<Result> {
  const { home } = context;
  const settings = await readSettings(context);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const migration = createMigrationView(context.terminal.messages);
  const store = await createSqliteStore({
    file: databaseFile(context, settings),
    logger: createLogger('error'),
    mayMigrate: async () => !(await isHomeInUse(home)),
    onMigration: (fraction) => migration.show(fraction),
  }).finally(() => migration.stop());
  try {
    return await work({ store, settings });
  } finally {
    await store.close();
  }
}

export async function readSettings({ home, environment }: CommandContext): Promise<Settings> {
  return loadSettings({ home, environment, flags: {} });
}

export function databaseFile({ home }: CommandContext, settings: Settings): string {
  return settings['store.url'] ?? join(home, 'hearth.db');
}

/** @throws CommandError if a server uses the home folder. */
export async function assertNoServer({ home }: CommandContext): Promise<void> {
  if (!(await isHomeInUse(home))) return;
  throw new CommandError(
    'A server uses the database. Stop it first with `hearth server stop`, or `hearth service stop` for a service.',
  );
}
