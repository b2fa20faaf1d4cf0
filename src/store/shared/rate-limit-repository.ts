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
/** Servers of one database may read their clocks in another order than they write. */
const mostAheadMs = minuteMs + 1000;

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

  /**
   * `requests_until` is at most a minute ahead, and never before the last change of the row. If it is further ahead, the
   * clock was set back since: then both times move with the clock.
   */
  async function followClock(tokenId: string): Promise<void> {
    const now = clock();
    await database
      .updateTable('rate_limits')
      .set({
        requests_until: now,
        tokens_until: sql<number>`tokens_until - (requests_until - ${now})`,
      })
      .where('token_id', '=', tokenId)
      .where(sql<boolean>`requests_until > ${now} + ${mostAheadMs}`)
      .execute();
  }

  async function admitOnce(
    tokenId: string,
    { requestsPerMinute, tokensPerMinute }: RateLimits,
  ): Promise<RateRow | undefined> {
    const now = clock();
    const requestMs = requestsPerMinute === null ? 0 : minuteMs / requestsPerMinute;
    const next = sql<number>`${later('requests_until', now)} + ${requestMs}`;
    // The sum of the parts of a minute may exceed it by its rounding.
    const latest = requestsPerMinute === null ? mostAheadMs : minuteMs + 0.5;
    let query = database
      .updateTable('rate_limits')
      .set({ requests_until: next })
      .where('token_id', '=', tokenId)
      .where(sql<boolean>`${next} <= ${now} + ${latest}`);
    if (tokensPerMinute !== null) {
      query = query.where(sql<boolean>`tokens_until < ${now} + ${minuteMs}`);
    }
    return query.returning(['requests_until', 'tokens_until', now.as('now')]).executeTakeFirst();
  }

  const read = (tokenId: string): Promise<RateRow | undefined> =>
    database
      .selectFrom('rate_limits')
      .where('token_id', '=', tokenId)
      .select(['requests_until', 'tokens_until', clock().as('now')])
      .executeTakeFirst();

  return {
    admit: async (tokenId, limits) => {
      const admitted = await admitOnce(tokenId, limits);
      if (admitted !== undefined) return toDecision(admitted, limits);
      let row = await read(tokenId);
      if (row === undefined || row.requests_until > row.now + mostAheadMs) {
        await ensureRow(tokenId);
        await followClock(tokenId);
        const next = await admitOnce(tokenId, limits);
        if (next !== undefined) return toDecision(next, limits);
        row = await read(tokenId);
        if (row === undefined) return { waitMs: minuteMs };
      }
      return { ...toDecision(row, limits), waitMs: waitOf(row, limits) };
    },
    charge: async (tokenId, tokens, tokensPerMinute) => {
      await ensureRow(tokenId);
      await followClock(tokenId);
      const now = clock();
      const used = (tokens * minuteMs) / tokensPerMinute;
      await database
        .updateTable('rate_limits')
        .set({
          requests_until: later('requests_until', now),
          tokens_until: sql<number>`${later('tokens_until', now)} + ${used}`,
        })
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
