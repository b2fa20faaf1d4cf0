import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Schema } from './schema.ts';
import type { Transactions } from './transactions.ts';

/** Usage of one model by the requests of one token on one day. */
export interface UsageKey {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** `owner` for the owner of the home folder; null for requests without a token. */
  readonly tokenId: string | null;
  readonly modelKey: string;
}

export interface UsageCounts {
  readonly requests: number;
  /** Requests that ended with an error. */
  readonly failedRequests: number;
  /** Tokens of prompts, embedded texts and ranked documents. */
  readonly promptTokens: number;
  /** Prompt tokens that the engine found in its cache; included in `promptTokens`. */
  readonly cachedPromptTokens: number;
  readonly completionTokens: number;
}

export type UsageDimension = keyof UsageKey;

/** Sums over all rows with the same values of the grouped dimensions. */
export type UsageSum = Partial<UsageKey> & UsageCounts;

export interface UsageQuery {
  /** First day, inclusive, as is `to`. */
  readonly from: string;
  readonly to: string;
  readonly groupBy: readonly UsageDimension[];
  /** Only this token's usage; null: only requests without a token; absent: all. */
  readonly tokenId?: string | null;
}

export interface UsageRepository {
  /** Adds to the stored counts, in one transaction. */
  add(rows: readonly (UsageKey & UsageCounts)[]): Promise<void>;
  /** Sorted by day, model and token. */
  sum(query: UsageQuery): Promise<readonly UsageSum[]>;
}

export const noUsage: UsageCounts = {
  requests: 0,
  failedRequests: 0,
  promptTokens: 0,
  cachedPromptTokens: 0,
  completionTokens: 0,
};

export function addUsage(one: UsageCounts, other: UsageCounts): UsageCounts {
  return {
    requests: one.requests + other.requests,
    failedRequests: one.failedRequests + other.failedRequests,
    promptTokens: one.promptTokens + other.promptTokens,
    cachedPromptTokens: one.cachedPromptTokens + other.cachedPromptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
  };
}

/** Rows per statement; databases limit its number of values. */
const rowsPerStatement = 500;

export function createUsageRepository(
  database: Kysely<Schema>,
  transactions: Transactions,
): UsageRepository {
  return {
    add: async (rows) => {
      // Always in the same order, so that processes that update the same rows do not deadlock.
      const sorted = rows.map(toRow).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      await transactions.add(async (transaction) => {
        for (let start = 0; start < sorted.length; start += rowsPerStatement) {
          await transaction
            .insertInto('usage')
            .values(sorted.slice(start, start + rowsPerStatement))
            .onConflict((conflict) =>
              conflict.columns(['day', 'token_id', 'model_key']).doUpdateSet({
                requests: increased('requests'),
                failed_requests: increased('failed_requests'),
                prompt_tokens: increased('prompt_tokens'),
                cached_prompt_tokens: increased('cached_prompt_tokens'),
                completion_tokens: increased('completion_tokens'),
              }),
            )
            .execute();
        }
      });
    },
    sum: async ({ from, to, groupBy, tokenId }) => {
      const sums = await database
        .selectFrom('usage')
        .where('day', '>=', from)
        .where('day', '<=', to)
        .select([
          summed('requests').as('requests'),
          summed('failed_requests').as('failedRequests'),
          summed('prompt_tokens').as('promptTokens'),
          summed('cached_prompt_tokens').as('cachedPromptTokens'),
          summed('completion_tokens').as('completionTokens'),
        ])
        .$if(tokenId !== undefined, (query) => query.where('token_id', '=', tokenId ?? ''))
        .$if(groupBy.includes('day'), (query) => query.select('day').groupBy('day').orderBy('day'))
        .$if(groupBy.includes('modelKey'), (query) =>
          query.select('model_key as modelKey').groupBy('model_key').orderBy('model_key'),
        )
        .$if(groupBy.includes('tokenId'), (query) =>
          query.select('token_id as tokenId').groupBy('token_id').orderBy('token_id'),
        )
        // Without groups, a query over no rows would return one row without sums.
        .having(sql<boolean>`count(*) > 0`)
        .execute();
      return sums.map(({ tokenId: id, ...sum }) => ({
        ...sum,
        ...(id !== undefined && { tokenId: id === '' ? null : id }),
      }));
    },
  };
}

type UsageRow = ReturnType<typeof toRow>;

function toRow(row: UsageKey & UsageCounts) {
  return {
    day: row.day,
    token_id: row.tokenId ?? '',
    model_key: row.modelKey,
    requests: row.requests,
    failed_requests: row.failedRequests,
    prompt_tokens: row.promptTokens,
    cached_prompt_tokens: row.cachedPromptTokens,
    completion_tokens: row.completionTokens,
  };
}

function keyOf({ day, token_id, model_key }: UsageRow): string {
  return `${day} ${token_id} ${model_key}`;
}

function increased(column: keyof UsageRow): RawBuilder<number> {
  return sql`${sql.ref(`usage.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
}

/** PostgreSQL sums integers as `numeric`, which its client reads as text. */
function summed(column: keyof UsageRow): RawBuilder<number> {
  return sql`cast(sum(${sql.ref(column)}) as bigint)`;
}
