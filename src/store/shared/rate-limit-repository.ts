import { sql, type Kysely, type RawBuilder } from 'kysely';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Schema } from '../schema.ts';
import type { StoreClock } from '../dialect.ts';

/** Maximum use in a minute and in a day (UTC); null: no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly requestsPerDay: number | null;
  readonly tokensPerDay: number | null;
}

export const noLimits: RateLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  requestsPerDay: null,
  tokensPerDay: null,
};

export type LimitName = keyof RateLimits;

export const limitNames = [
  'requestsPerMinute',
  'tokensPerMinute',
  'requestsPerDay',
  'tokensPerDay',
] as const satisfies readonly LimitName[];

/** The remaining part of a limit. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the limit is fully available again. */
  readonly resetMs: number;
}

export interface RateDecision {
  /** States of the limits that are set. */
  readonly states: Partial<Readonly<Record<LimitName, RateState>>>;
  /** Present if the request is refused: the limit with the longest wait, and the time until it allows the request. */
  readonly refusal?: { readonly by: LimitName; readonly waitMs: number };
}

/** Use of API tokens, summed over all processes. */
export interface RateLimitRepository {
  /** Counts a request of a token, unless a limit is reached. */
  admit(tokenId: string, limits: RateLimits): Promise<RateDecision>;
  /** Counts tokens that a request has used. */
  charge(
    tokenId: string,
    tokens: number,
    limits: Pick<RateLimits, 'tokensPerMinute'>,
  ): Promise<void>;
}

const minuteMs = 60_000;
const dayMs = 24 * 3600 * 1000;
/**
 * Maximum distance of a stored time from now. The second allows for servers whose clock readings are written out of
 * order.
 */
const mostAheadMs = minuteMs + 1000;

/**
 * Limits per minute use the generic cell rate algorithm (GCRA, ITU-T I.371): each request moves a stored time ahead by
 * its share of a minute. Requests are admitted while that time is at most a minute ahead, so that a minute's limit can
 * be used at once. Limits per day count from 00:00 UTC.
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
   * Corrects the stored times after the clock was set back. `requests_until` is never before the row's last change and
   * at most a minute ahead. A greater distance therefore means that the clock was set back. Both times move with the
   * clock.
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
    { requestsPerMinute, tokensPerMinute, requestsPerDay, tokensPerDay }: RateLimits,
  ): Promise<RateRow | undefined> {
    const now = clock();
    const today = ofToday(now);
    const requestMs = requestsPerMinute === null ? 0 : minuteMs / requestsPerMinute;
    const next = sql<number>`${later('requests_until', now)} + ${requestMs}`;
    // Allows half a millisecond for rounding: the shares of a minute may add up to slightly more.
    const latest = requestsPerMinute === null ? mostAheadMs : minuteMs + 0.5;
    let query = database
      .updateTable('rate_limits')
      .set({
        requests_until: next,
        quota_day: dayOf(now),
        day_requests: sql<number>`${today('day_requests')} + 1`,
        day_tokens: today('day_tokens'),
      })
      .where('token_id', '=', tokenId)
      .where(sql<boolean>`${next} <= ${now} + ${latest}`);
    if (tokensPerMinute !== null) {
      query = query.where(sql<boolean>`tokens_until < ${now} + ${minuteMs}`);
    }
    if (requestsPerDay !== null) {
      query = query.where(today('day_requests'), '<', requestsPerDay);
    }
    if (tokensPerDay !== null) query = query.where(today('day_tokens'), '<', tokensPerDay);
    return query
      .returning(['requests_until', 'tokens_until', 'day_requests', 'day_tokens', now.as('now')])
      .executeTakeFirst();
  }

  async function read(tokenId: string): Promise<RateRow | undefined> {
    const now = clock();
    const today = ofToday(now);
    return database
      .selectFrom('rate_limits')
      .where('token_id', '=', tokenId)
      .select([
        'requests_until',
        'tokens_until',
        today('day_requests').as('day_requests'),
        today('day_tokens').as('day_tokens'),
        now.as('now'),
      ])
      .executeTakeFirst();
  }

  return {
    admit: async (tokenId, limits) => {
      const admitted = await admitOnce(tokenId, limits);
      if (admitted !== undefined) return { states: toStates(admitted, limits) };
      let row = await read(tokenId);
      if (row === undefined || row.requests_until > row.now + mostAheadMs) {
        await ensureRow(tokenId);
        await followClock(tokenId);
        const next = await admitOnce(tokenId, limits);
        if (next !== undefined) return { states: toStates(next, limits) };
        row = await read(tokenId);
        if (row === undefined) {
          return { states: {}, refusal: { by: 'requestsPerMinute', waitMs: minuteMs } };
        }
      }
      return { states: toStates(row, limits), refusal: refusalOf(row, limits) };
    },
    charge: async (tokenId, tokens, { tokensPerMinute }) => {
      await ensureRow(tokenId);
      await followClock(tokenId);
      const now = clock();
      const today = ofToday(now);
      const used = tokensPerMinute === null ? 0 : (tokens * minuteMs) / tokensPerMinute;
      await database
        .updateTable('rate_limits')
        .set({
          requests_until: later('requests_until', now),
          tokens_until: sql<number>`${later('tokens_until', now)} + ${used}`,
          quota_day: dayOf(now),
          day_requests: today('day_requests'),
          day_tokens: sql<number>`${today('day_tokens')} + ${tokens}`,
        })
        .where('token_id', '=', tokenId)
        .execute();
    },
  };
}

interface RateRow {
  readonly requests_until: number;
  readonly tokens_until: number;
  /** Counts of today. */
  readonly day_requests: number;
  readonly day_tokens: number;
  readonly now: number;
}

function later(column: string, now: RawBuilder<number>): RawBuilder<number> {
  const time = sql.ref(column);
  return sql`case when ${time} > ${now} then ${time} else ${now} end`;
}

function dayOf(now: RawBuilder<number>): RawBuilder<number> {
  return sql`cast(${now} as bigint) / ${sql.lit(dayMs)}`;
}

/** Reads today's count; 0 if the stored count is another day's. */
function ofToday(now: RawBuilder<number>) {
  return (column: 'day_requests' | 'day_tokens'): RawBuilder<number> =>
    sql`case when quota_day = ${dayOf(now)} then ${sql.ref(column)} else 0 end`;
}

function toStates(row: RateRow, limits: RateLimits): RateDecision['states'] {
  const { requestsPerMinute, tokensPerMinute, requestsPerDay, tokensPerDay } = limits;
  const { requests_until, tokens_until, day_requests, day_tokens, now } = row;
  return omitUndefined({
    requestsPerMinute: minuteState(requestsPerMinute, requests_until - now),
    tokensPerMinute: minuteState(tokensPerMinute, tokens_until - now),
    requestsPerDay: dayState(requestsPerDay, day_requests, now),
    tokensPerDay: dayState(tokensPerDay, day_tokens, now),
  });
}

function minuteState(limit: number | null, aheadMs: number): RateState | undefined {
  if (limit === null) return undefined;
  const resetMs = Math.max(0, aheadMs);
  const remaining = Math.floor(((minuteMs - resetMs) * limit) / minuteMs + 0.01);
  return { limit, remaining: Math.max(0, remaining), resetMs };
}

function dayState(limit: number | null, used: number, now: number): RateState | undefined {
  if (limit === null) return undefined;
  return { limit, remaining: Math.max(0, limit - used), resetMs: dayMs - (now % dayMs) };
}

/** Selects the limit with the longest wait. */
function refusalOf(row: RateRow, limits: RateLimits): NonNullable<RateDecision['refusal']> {
  const { requestsPerMinute, tokensPerMinute, requestsPerDay, tokensPerDay } = limits;
  const { requests_until, tokens_until, day_requests, day_tokens, now } = row;
  const requestMs = requestsPerMinute === null ? 0 : minuteMs / requestsPerMinute;
  const restOfDayMs = dayMs - (now % dayMs);
  const waits: Readonly<Record<LimitName, number>> = {
    requestsPerMinute: requestsPerMinute === null ? 0 : requests_until + requestMs - minuteMs - now,
    tokensPerMinute: tokensPerMinute === null ? 0 : tokens_until - minuteMs - now,
    requestsPerDay: requestsPerDay !== null && day_requests >= requestsPerDay ? restOfDayMs : 0,
    tokensPerDay: tokensPerDay !== null && day_tokens >= tokensPerDay ? restOfDayMs : 0,
  };
  const by = limitNames.reduce((one, other) => (waits[other] > waits[one] ? other : one));
  return { by, waitMs: Math.max(1, waits[by]) };
}
