import type { TestProject } from 'vitest/node';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { startPostgres, type PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with the socket of the server that the tests of the project `postgres` share. */
    readonly postgresFolder: string;
  }
}

/** A database with the newest schema; new databases are copies of it. */
export const templateDatabase = 'hearth_template';

let server: PostgresServer | undefined;

export async function setup({ provide }: TestProject): Promise<void> {
  server = await startPostgres();
  await server.query(`create database ${templateDatabase}`);
  const template = await openStore({
    url: server.url(templateDatabase),
    logger: createLogger('silent'),
    maxConnections: 1,
  });
  await template.close();
  provide('postgresFolder', server.folder);
}

export async function teardown(): Promise<void> {
  await server?.close();
}
