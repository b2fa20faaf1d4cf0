import { copyFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordedStore, recordedStoreFile } from '../../test/setup/store/recorded-store.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { migrate, NewerSchemaError } from './migrate.ts';
import { migrations } from './migrations/migrations.ts';
import { openSqliteFile } from './open-sqlite-file.ts';
import { restoreBackup } from './restore-backup.ts';
import type { Schema } from './schema.ts';
import { SqliteConnectionDialect } from './sqlite-connection.ts';
import { createSqliteStore } from './sqlite-store.ts';

const newest = migrations.length;
/** That of the recorded database. */
const oldest = 2;

let file: string;
beforeEach(async () => {
  file = await copyRecorded();
});

async function copyRecorded(): Promise<string> {
  const copy = join(await temporaryFolder(), 'hearth.db');
  await copyFile(recordedStoreFile, copy);
  return copy;
}

/** Opens the database as the version of Hearth that had this schema, and brings it there. */
async function openAsOf(schema: number): Promise<void> {
  const database = new Kysely<Schema>({
    dialect: new SqliteConnectionDialect(openSqliteFile(file)),
  });
  try {
    await migrate(database, { migrations: migrations.slice(0, schema) });
  } finally {
    await database.destroy();
  }
}

/** What the owners of the recorded database see in it. */
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
      await openAsOf(schema);
      expect(await read()).toEqual(await read(await copyRecorded()));
    });

    it('is what its version gets back from the backup', async () => {
      await openAsOf(schema);
      const now = await read();
      const backup = `${file}.schema-${schema}.bak`;
      expect(existsSync(backup)).toBe(schema < newest);
      if (schema === newest) return;
      await expect(openAsOf(schema)).rejects.toThrow(NewerSchemaError);
      await restoreBackup(backup, file);
      await openAsOf(schema);
      expect(await read()).toEqual(now);
    });
  },
);
