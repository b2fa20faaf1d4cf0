/**
 * The thread of `statement-thread.ts`. Runs each statement that it receives on its own connection, and ends after
 * `null`. `workerData` is the path of the database.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { sqliteResultCode } from '../platform/sqlite.ts';
import { openAnotherConnection } from './open-sqlite-file.ts';
import { preparedStatements } from './sqlite-connection.ts';
import type { StatementReply, StatementRequest } from './statement-thread.ts';

const connection = openAnotherConnection(String(workerData));
const prepare = preparedStatements(connection);

parentPort?.on('message', (request: StatementRequest | null) => {
  if (request === null) {
    connection.close();
    parentPort?.close();
    return;
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(reply(request));
});

function reply({ statement, parameters }: StatementRequest): StatementReply {
  try {
    const prepared = prepare(statement);
    if (prepared.reader) return { rows: prepared.all(parameters) };
    return { rows: [], changes: prepared.run(parameters).changes };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { message, errcode: sqliteResultCode(error) };
  }
}
