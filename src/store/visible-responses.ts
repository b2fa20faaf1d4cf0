import type { QueryCreator } from 'kysely';
import type { Schema } from './schema.ts';

/** The responses that an owner can find, continue and list: their own, except tombstones. */
export function visibleResponses(database: QueryCreator<Schema>, ownerId: string | null) {
  return database
    .selectFrom('responses')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .where('deleted_at', 'is', null);
}
