import type { QueryCreator } from 'kysely';
import type { Schema } from './schema.ts';

/** The responses that a caller can find and continue: their own and those made without a token, but for tombstones. */
export function readableResponses(database: QueryCreator<Schema>, callerId: string | null) {
  return database
    .selectFrom('responses')
    .where((expression) =>
      expression.or([
        expression('responses.owner_id', 'is', null),
        ...(callerId === null ? [] : [expression('responses.owner_id', '=', callerId)]),
      ]),
    )
    .where('responses.deleted_at', 'is', null);
}

/** The responses that an owner can list and delete: their own, but for tombstones. */
export function ownResponses(database: QueryCreator<Schema>, ownerId: string | null) {
  return database
    .selectFrom('responses')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .where('deleted_at', 'is', null);
}
