import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Schema } from '../schema.ts';
import type { StoreClock } from '../dialect.ts';

/** Most of each in a minute; null: no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

/** The rest of a limit. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Time until all of it is left again. */
  readonly resetMs: number;
}

export interface RateDecision {
  /** Absent if there is no limit. */
  readonly requests?: RateState;
  readonly tokens?: RateState;
  /** Time until the request is allowed; undefined if it is now. */
  readonly waitMs?: number;
}

/** How much the API tokens used, of all processes together. */
export interface RateLimitRepository {
  /** Counts a request of a token, unless a limit is reached. */
  admit(tokenId: string, limits: RateLimits): Promise<RateDecision>;
  /** Counts tokens that a request has used. */
  charge(tokenId: string, tokens: number, tokensPerMinute: number): Promise<void>;
}

const minuteMs = 60_000;

/**
 * The generic cell rate algorithm (GCRA, ITU-T I.371): a limit is the time at which all that was used is used up at its
 * rate. Up to a minute of it may be ahead, so that a whole minute's limit can be used at once.
 */
export function createRateLimitRepository(
  database: Kysely<Schema>,
  clock: StoreClock,
): RateLimitRepository {
  async function ensureRow(tokenId: string): Promise<void> {
    await database
      .insertInto('rate_limits')
      .values({ token_id: tokenId, requests_until: 0, tokens_until: 0 })
      .onConflict((conflict) => conflict.column('token_id').doNothing())
      .execute();
  }

  async function admitOnce(
    tokenId: string,
    { requestsPerMinute, tokensPerMinute }: RateLimits,
  ): Promise<RateRow | undefined> {
    let query = database.updateTable('rate_limits').where('token_id', '=', tokenId);
    if (requestsPerMinute === null) {
      query = query.set((build) => ({ requests_until: build.ref('requests_until') }));
    } else {
      const now = clock();
      const next = sql<number>`${later('requests_until', now)} + ${minuteMs / requestsPerMinute}`;
      query = query
        .set({
          // Further ahead than it can be: the clock was set back since.
          requests_until: sql<number>`case when requests_until > ${now} + ${minuteMs + 1000} then ${now} else ${next} end`,
        })
        .where(
          // The sum of the parts of a minute may exceed it by its rounding.
          sql<boolean>`(${next} <= ${now} + ${minuteMs + 0.5} or requests_until > ${now} + ${minuteMs + 1000})`,
        );
    }
    if (tokensPerMinute !== null) {
      query = query.where(sql<boolean>`tokens_until < ${clock()} + ${minuteMs}`);
    }
    return query
      .returning(['requests_until', 'tokens_until', clock().as('now')])
      .executeTakeFirst();
  }

  return {
    admit: async (tokenId, limits) => {
      const admitted = await admitOnce(tokenId, limits);
      if (admitted !== undefined) return toDecision(admitted, limits);
      const row = await database
        .selectFrom('rate_limits')
        .where('token_id', '=', tokenId)
        .select(['requests_until', 'tokens_until', clock().as('now')])
        .executeTakeFirst();
      if (row === undefined) {
        await ensureRow(tokenId);
        const first = await admitOnce(tokenId, limits);
        return first === undefined ? { waitMs: minuteMs } : toDecision(first, limits);
      }
      return { ...toDecision(row, limits), waitMs: waitOf(row, limits) };
    },
    charge: async (tokenId, tokens, tokensPerMinute) => {
      await ensureRow(tokenId);
      const used = (tokens * minuteMs) / tokensPerMinute;
      await database
        .updateTable('rate_limits')
        .set({ tokens_until: sql<number>`${later('tokens_until', clock())} + ${used}` })
        .where('token_id', '=', tokenId)
        .execute();
    },
  };
}

interface RateRow {
  readonly requests_until: number;
  readonly tokens_until: number;
  readonly now: number;
}

function later(column: string, now: RawBuilder<number>): RawBuilder<number> {
  const time = sql.ref(column);
  return sql`case when ${time} > ${now} then ${time} else ${now} end`;
}

function toDecision(
  { requests_until, tokens_until, now }: RateRow,
  { requestsPerMinute, tokensPerMinute }: RateLimits,
): RateDecision {
  return {
    ...(requestsPerMinute === null
      ? {}
      : { requests: toState(requestsPerMinute, requests_until - now) }),
    ...(tokensPerMinute === null ? {} : { tokens: toState(tokensPerMinute, tokens_until - now) }),
  };
}

function toState(limit: number, aheadMs: number): RateState {
  const resetMs = Math.max(0, aheadMs);
  const remaining = Math.floor(((minuteMs - resetMs) * limit) / minuteMs + 0.01);
  return { limit, remaining: Math.max(0, remaining), resetMs };
}

/** Time until both limits allow a request. */
function waitOf(
  { requests_until, tokens_until, now }: RateRow,
  { requestsPerMinute, tokensPerMinute }: RateLimits,
): number {
  const requestsMs =
    requestsPerMinute === null ? 0 : requests_until + minuteMs / requestsPerMinute - minuteMs - now;
  const tokensMs = tokensPerMinute === null ? 0 : tokens_until - minuteMs - now;
  return Math.max(1, requestsMs, tokensMs);
}
