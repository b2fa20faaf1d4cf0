import type { Kysely, Selectable } from 'kysely';
import type { Schema } from './schema.ts';
import type { ModelScope } from '../kernel/model-scope.ts';
import type { Permission } from '../kernel/permission.ts';
import type { StoredToken, TokenRepository } from './store.ts';

/** API tokens; lists are oldest first. */
export function createTokenRepository(database: Kysely<Schema>): TokenRepository {
  return {
    insert: async (token) => {
      await database.insertInto('tokens').values(toRow(token)).execute();
    },
    update: async (id, changes) => {
      const { permissions, expiresAt, modelScope, rateLimits = {} } = changes;
      // Kysely ignores undefined values.
      const values = {
        id,
        name: changes.name,
        priority: changes.priority,
        permissions: permissions && JSON.stringify(permissions),
        expires_at: expiresAt === undefined ? undefined : toTime(expiresAt),
        models: modelScope === undefined ? undefined : toModels(modelScope),
        requests_per_minute: rateLimits.requestsPerMinute,
        tokens_per_minute: rateLimits.tokensPerMinute,
        requests_per_day: rateLimits.requestsPerDay,
        tokens_per_day: rateLimits.tokensPerDay,
      };
      const row = await database
        .updateTable('tokens')
        .set(values)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && fromRow(row);
    },
    find: async (id) => {
      const row = await database
        .selectFrom('tokens')
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      return row && fromRow(row);
    },
    list: async () => {
      const rows = await database
        .selectFrom('tokens')
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(fromRow);
    },
    touch: async (id, usedAt) => {
      await database
        .updateTable('tokens')
        .set({ last_used_at: usedAt.toISOString() })
        .where('id', '=', id)
        .execute();
    },
    delete: async (id) => {
      await database.deleteFrom('rate_limits').where('token_id', '=', id).execute();
      await database.deleteFrom('sessions').where('token_id', '=', id).execute();
      await database.deleteFrom('sign_in_codes').where('token_id', '=', id).execute();
      await database.deleteFrom('tool_approvals').where('owner_id', '=', id).execute();
      const result = await database.deleteFrom('tokens').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

type TokenRow = Selectable<Schema['tokens']>;

function toRow(token: StoredToken): TokenRow {
  return {
    id: token.id,
    name: token.name,
    permissions: JSON.stringify(token.permissions),
    secret_hash: token.secretHash,
    created_at: token.createdAt.toISOString(),
    expires_at: toTime(token.expiresAt),
    last_used_at: toTime(token.lastUsedAt),
    requests_per_minute: token.rateLimits.requestsPerMinute,
    tokens_per_minute: token.rateLimits.tokensPerMinute,
    requests_per_day: token.rateLimits.requestsPerDay,
    tokens_per_day: token.rateLimits.tokensPerDay,
    models: toModels(token.modelScope),
    priority: token.priority,
  };
}

function toTime(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

function toModels(scope: ModelScope): string | null {
  return scope === null ? null : JSON.stringify(scope);
}

function fromRow(row: TokenRow): StoredToken {
  return {
    id: row.id,
    name: row.name,
    permissions: JSON.parse(row.permissions) as Permission[],
    secretHash: row.secret_hash,
    createdAt: new Date(row.created_at),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
    rateLimits: {
      requestsPerMinute: row.requests_per_minute,
      tokensPerMinute: row.tokens_per_minute,
      requestsPerDay: row.requests_per_day,
      tokensPerDay: row.tokens_per_day,
    },
    modelScope: row.models === null ? null : (JSON.parse(row.models) as string[]),
    priority: row.priority,
  };
}
