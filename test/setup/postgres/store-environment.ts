import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { templateDatabase } from './global-setup.ts';

/** Environment variable with the socket folder of PostgreSQL; `use-postgres.ts` sets it. */
export const postgresFolderVariable = 'HEARTH_TEST_POSTGRES_FOLDER';

/** The environment variable that makes a server use PostgreSQL, with a database for its home folder. */
export async function storeEnvironment(home: string): Promise<Readonly<Record<string, string>>> {
  const folder = process.env[postgresFolderVariable];
  if (folder === undefined) return {};
  const name = `home_${createHash('sha256').update(home).digest('hex').slice(0, 32)}`;
  const urlOf = (database: string) =>
    `postgres://postgres@/${database}?host=${encodeURIComponent(folder)}`;
  const client = new Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name} template ${templateDatabase}`);
  } finally {
    await client.end();
  }
  return { HEARTH_STORE_URL: urlOf(name) };
}
