import { setImmediate as nextLoop } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Duration to aim for, since a step blocks the event loop. */
const targetMs = 4;
const firstSize = 32;
const maxSize = 512;

/** Adapts the size of a long operation's steps, so that each takes a few milliseconds. */
export class StepSize {
  #size = firstSize;

  /** Items of the next step. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adapts to the time that a step of the current size took. Sizes are powers of two, so that few statements are
   * prepared.
   */
  learn(elapsedMs: number): void {
    if (elapsedMs > targetMs) this.#size = Math.max(1, this.#size / 2);
    else if (elapsedMs < targetMs / 2) this.#size = Math.min(maxSize, this.#size * 2);
  }
}

/** Splits a long operation into steps of a few milliseconds; other work of the server runs between them. */
export async function* inBatches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  const steps = new StepSize();
  for (let start = 0; start < items.length;) {
    const { size } = steps;
    const startedAt = performance.now();
    yield items.slice(start, start + size);
    steps.learn(performance.now() - startedAt);
    start += size;
    if (start < items.length) await nextLoop();
  }
}

interface ManyRows<Table extends keyof Schema> {
  /** Values of the columns by which the rows are found: all of the key but the last one. */
  readonly where: { readonly [Name in keyof Schema[Table]]?: string };
  /** The last column of the key. */
  readonly key: keyof Schema[Table] & string;
  /** Rows that one statement deletes. */
  readonly count: number;
}

/** Deletes many rows with repeated statements. Other work of the server runs between two statements. */
export async function deleteInSteps<Table extends keyof Schema>(
  database: Kysely<Schema>,
  table: Table,
  { where, key, count }: ManyRows<Table>,
): Promise<void> {
  const conditions = Object.entries(where).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  const found = sql`from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`;
  const some = sql`select ${sql.ref(key)} ${found} limit ${sql.lit(count)}`;
  const statement = sql`delete ${found} and ${sql.ref(key)} in (${some})`;
  while (((await statement.execute(database)).numAffectedRows ?? 0n) > 0n) await nextLoop();
}
