import { copyFile, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordedStore, recordedStoreFile } from '../../test/setup/store/recorded-store.ts';
import { toOlderSchema } from '../../test/setup/store/to-older-schema.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { openSqlite } from '../platform/sqlite.ts';
import { createLogger } from '../telemetry/logger.ts';
import { restoreBackup } from './backup.ts';
import { sqliteSchema } from './sqlite-dialect.ts';
import { createSqliteStore } from './sqlite-store.ts';

const newest = sqliteSchema.version;
const oldest = 1;
/** Schema of the recorded database. */
const recordedSchema = 2;

let file: string;
beforeEach(async () => {
  file = await copyRecorded();
});

async function copyRecorded(): Promise<string> {
  const copy = join(await temporaryFolder(), 'hearth.db');
  await copyFile(recordedStoreFile, copy);
  return copy;
}

/** Brings the recorded database to a schema, with the rows that a version of Hearth had with it. */
async function bringTo(schema: number): Promise<void> {
  if (schema === recordedSchema) return;
  await (await createSqliteStore({ file, logger: createLogger('silent') })).close();
  await rm(`${file}.schema-${recordedSchema}.bak`);
  toOlderSchema(file, schema);
}

function query(database: string, text: string): unknown {
  const connection = openSqlite(database, { isReadOnly: true });
  try {
    return connection.prepare(text).all();
  } finally {
    connection.close();
  }
}

const versionOf = (database: string) => query(database, 'select version from schema_version');

/** The columns, sorted so that their order does not count, and the indexes and triggers. */
const structureOf = (database: string) => [
  query(
    database,
    `select tables.name, columns.name as column_name, columns.type, "notnull", dflt_value, pk
     from sqlite_schema as tables, pragma_table_info(tables.name) as columns
     where tables.type = 'table' order by 1, 2`,
  ),
  query(
    database,
    `select type, name, tbl_name from sqlite_schema where type <> 'table' order by 1, 2`,
  ),
  query(
    database,
    `select tables.name, reference."table", reference."from"
     from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as reference
     where tables.type = 'table' order by 1, 2, 3`,
  ),
];

/** The recorded database, as its owners see it. */
async function read(database = file): Promise<unknown> {
  const store = await createSqliteStore({ file: database, logger: createLogger('silent') });
  try {
    await store.fillSearchIndex(new AbortController().signal);
    const { ownerId: tokenId } = await recordedStore();
    const pages = [null, tokenId].map(async (ownerId) => ({
      responses: await store.responses.page({ ownerId, limit: 100 }),
      conversations: await store.conversations.page({ ownerId, limit: 100 }),
      found: await store.conversations.page({ ownerId, limit: 100, search: 'Zorbek' }),
    }));
    return { pages: await Promise.all(pages), tokens: await store.tokens.list() };
  } finally {
    await store.close();
  }
}

describe.each(Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index))(
  'a database of schema %i',
  (schema) => {
    it('shows what the recorded one shows', async () => {
      await bringTo(schema);
      expect(await read()).toEqual(await read(await copyRecorded()));
    });

    it('gets the tables of a new database', async () => {
      await bringTo(schema);
      await read();
      const fresh = join(await temporaryFolder(), 'hearth.db');
      await read(fresh);
      expect(structureOf(file)).toEqual(structureOf(fresh));
    });

    it('is what its version gets back from the backup', async () => {
      await bringTo(schema);
      const now = await read();
      const backup = `${file}.schema-${schema}.bak`;
      expect(existsSync(backup)).toBe(schema < newest);
      if (schema === newest) return;
      await restoreBackup(backup, file);
      expect(versionOf(file)).toEqual([{ version: schema }]);
      expect(await read()).toEqual(now);
    });
  },
);
