import type { Kysely, Selectable } from 'kysely';
import type { Schema } from './schema.ts';

/** A browser that is signed in. */
export interface StoredSession {
  readonly id: string;
  /** The token that the session acts for; `owner` for the owner of the home folder. */
  readonly tokenId: string;
  /** SHA-256 of its secrets, hex. */
  readonly secretHash: string;
  /** Hash of the secrets before the last rotation; null if there was none. */
  readonly previousHash: string | null;
  readonly rotatedAt: Date;
  /** Time at which the browser first sent the secrets of the last rotation; null if it has not yet. */
  readonly confirmedAt: Date | null;
  readonly userAgent: string;
  /** Network address of its last request, or of a proxy in front of the server. */
  readonly address: string;
  /** True if its cookie is sent over HTTPS only. */
  readonly isSecure: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

/** A code that opens a session once. */
export interface StoredSignInCode {
  /** SHA-256, hex. */
  readonly codeHash: string;
  readonly tokenId: string;
  readonly expiresAt: Date;
}

/** Signed-in browsers and the codes that sign them in, for all processes of the database. */
export interface SessionRepository {
  insert(session: StoredSession): Promise<void>;
  find(id: string): Promise<StoredSession | undefined>;
  /** Lists the sessions of one token, or all; most recently used first. */
  list(tokenId?: string): Promise<readonly StoredSession[]>;
  /** Records the time and address of the last use. */
  touch(id: string, usedAt: Date, address: string): Promise<void>;
  /** Replaces the secrets. False if another request has already replaced the hash `from`. */
  rotate(
    id: string,
    from: string,
    next: Pick<StoredSession, 'secretHash' | 'previousHash' | 'rotatedAt'>,
  ): Promise<boolean>;
  /** Records that the browser has the secrets with this hash. */
  confirm(id: string, secretHash: string, confirmedAt: Date): Promise<void>;
  /** False if there is no such session. */
  delete(id: string): Promise<boolean>;
  /** Deletes sessions that were last used before `until`. */
  deleteUnused(until: Date): Promise<void>;
  /** Adds a code. Deletes expired codes, and the token's oldest ones if there are more than 16. */
  addCode(code: StoredSignInCode, now: Date): Promise<void>;
  /**
   * Consumes a code and returns its token; undefined if the code is unknown, consumed or expired. Concurrent calls
   * can't consume it twice.
   */
  takeCode(codeHash: string, now: Date): Promise<string | undefined>;
}

/** Maximum codes of a token. */
const maxCodes = 16;

export function createSessionRepository(database: Kysely<Schema>): SessionRepository {
  return {
    insert: async (session) => {
      await database.insertInto('sessions').values(toRow(session)).execute();
    },
    find: async (id) => {
      const row = await database
        .selectFrom('sessions')
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      return row && fromRow(row);
    },
    list: async (tokenId) => {
      const rows = await database
        .selectFrom('sessions')
        .$if(tokenId !== undefined, (query) => query.where('token_id', '=', tokenId ?? ''))
        .selectAll()
        .orderBy('last_used_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(fromRow);
    },
    touch: async (id, usedAt, address) => {
      await database
        .updateTable('sessions')
        .set({ last_used_at: usedAt.toISOString(), address })
        .where('id', '=', id)
        .execute();
    },
    rotate: async (id, from, { secretHash, previousHash, rotatedAt }) => {
      const result = await database
        .updateTable('sessions')
        .set({
          secret_hash: secretHash,
          previous_hash: previousHash,
          rotated_at: rotatedAt.toISOString(),
          confirmed_at: null,
        })
        .where('id', '=', id)
        .where('secret_hash', '=', from)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    confirm: async (id, secretHash, confirmedAt) => {
      await database
        .updateTable('sessions')
        .set({ confirmed_at: confirmedAt.toISOString() })
        .where('id', '=', id)
        .where('secret_hash', '=', secretHash)
        .where('confirmed_at', 'is', null)
        .execute();
    },
    delete: async (id) => {
      const result = await database.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    deleteUnused: async (until) => {
      await database
        .deleteFrom('sessions')
        .where('last_used_at', '<=', until.toISOString())
        .execute();
    },
    addCode: async ({ codeHash, tokenId, expiresAt }, now) => {
      await database
        .deleteFrom('sign_in_codes')
        .where('expires_at', '<=', now.toISOString())
        .execute();
      await database
        .insertInto('sign_in_codes')
        .values({ code_hash: codeHash, token_id: tokenId, expires_at: expiresAt.toISOString() })
        .execute();
      const codes = await database
        .selectFrom('sign_in_codes')
        .where('token_id', '=', tokenId)
        .select('code_hash')
        .orderBy('expires_at', 'desc')
        .execute();
      const surplus = codes.slice(maxCodes).map(({ code_hash }) => code_hash);
      if (surplus.length === 0) return;
      await database.deleteFrom('sign_in_codes').where('code_hash', 'in', surplus).execute();
    },
    takeCode: async (codeHash, now) => {
      const row = await database
        .deleteFrom('sign_in_codes')
        .where('code_hash', '=', codeHash)
        .returning(['token_id', 'expires_at'])
        .executeTakeFirst();
      return row !== undefined && row.expires_at > now.toISOString() ? row.token_id : undefined;
    },
  };
}

type SessionRow = Selectable<Schema['sessions']>;

function toRow(session: StoredSession): SessionRow {
  return {
    id: session.id,
    token_id: session.tokenId,
    secret_hash: session.secretHash,
    previous_hash: session.previousHash,
    rotated_at: session.rotatedAt.toISOString(),
    confirmed_at: session.confirmedAt?.toISOString() ?? null,
    user_agent: session.userAgent,
    address: session.address,
    is_secure: session.isSecure ? 1 : 0,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
  };
}

function fromRow(row: SessionRow): StoredSession {
  return {
    id: row.id,
    tokenId: row.token_id,
    secretHash: row.secret_hash,
    previousHash: row.previous_hash,
    rotatedAt: new Date(row.rotated_at),
    confirmedAt: row.confirmed_at === null ? null : new Date(row.confirmed_at),
    userAgent: row.user_agent,
    address: row.address,
    isSecure: row.is_secure === 1,
    createdAt: new Date(row.created_at),
    lastUsedAt: new Date(row.last_used_at),
  };
}
