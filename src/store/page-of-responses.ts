import { sql, type Kysely } from 'kysely';
import type { Logger } from '../kernel/logger.ts';
import { readableRows } from './response-row.ts';
import type { Schema } from './schema.ts';
import type { StoredResponse } from './store.ts';

/** Bytes of the stored responses of a page, which is in memory as a whole. */
const maxPageBytes = 16 * 1024 * 1024;

/**
 * The first of these responses whose contents have at most so many bytes together, one at least. Reads the sizes only.
 *
 * @param ids In the order of the page; those that do not exist have no size.
 */
export async function firstOfPage(
  database: Kysely<Schema>,
  ids: readonly string[],
  maxBytes = maxPageBytes,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom('responses')
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .select(['id', sql<number>`octet_length(content)`.as('bytes')])
    .execute();
  const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  let total = 0;
  const end = ids.findIndex((id) => {
    total += sizes.get(id) ?? 0;
    return total > maxBytes;
  });
  return end === -1 ? ids : ids.slice(0, Math.max(1, end));
}

/** Responses in the order of their ids, without those that do not exist or can't be read. */
export async function responsesOf(
  database: Kysely<Schema>,
  logger: Logger,
  ids: readonly string[],
): Promise<readonly StoredResponse[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom('responses')
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .selectAll()
    .execute();
  const responses = new Map(readableRows(rows, logger).map((each) => [each.id, each]));
  return ids.flatMap((id) => responses.get(id) ?? []);
}
