import { join } from 'node:path';
import { Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { migrate } from '../../../src/store/migrate.ts';
import { openSqliteFile } from '../../../src/store/open-sqlite-file.ts';
import type { Schema } from '../../../src/store/schema.ts';
import { SqliteConnectionDialect } from '../../../src/store/sqlite-connection.ts';
import { sqliteSchema as dialect } from '../../../src/store/sqlite-dialect.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** An empty SQLite database with the newest schema, for testing one repository; removed after the test. */
export async function sqliteSchema(): Promise<Kysely<Schema>> {
  const file = join(await temporaryFolder(), 'hearth.db');
  const database = new Kysely<Schema>({
    dialect: new SqliteConnectionDialect(openSqliteFile(file)),
  });
  onTestFinished(() => database.destroy());
  await migrate(database, dialect);
  return database;
}
