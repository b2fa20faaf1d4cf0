import { sql, type Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { StoreClock } from '../dialect.ts';

/** Leases: names, such as a job's, that only one process can hold at a time. They end on their own unless renewed. */
export interface LeaseRepository {
  /**
   * Takes or renews a lease. False while another process holds it.
   *
   * @param holder Id of the process, the same after a restart.
   */
  acquire(name: string, holder: string, durationMs: number): Promise<boolean>;
  /** Renews leases. @returns the names that are still held; another process took the rest. */
  renew(names: readonly string[], holder: string, durationMs: number): Promise<ReadonlySet<string>>;
  release(name: string, holder: string): Promise<void>;
  /** Removes leases that ended long ago. */
  removeEnded(): Promise<void>;
}

/** Time after which no process asks for an ended lease. */
const forgottenMs = 24 * 3600 * 1000;

export function createLeaseRepository(
  database: Kysely<Schema>,
  clock: StoreClock,
): LeaseRepository {
  return {
    acquire: async (name, holder, durationMs) => {
      const row = await database
        .insertInto('leases')
        .values({ name, holder, held_until: sql<number>`${clock()} + ${sql.lit(durationMs)}` })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet((build) => ({
              holder: build.ref('excluded.holder'),
              held_until: build.ref('excluded.held_until'),
            }))
            .where((build) =>
              build.or([
                build('leases.holder', '=', holder),
                build('leases.held_until', '<', clock()),
              ]),
            ),
        )
        .returning('name')
        .executeTakeFirst();
      return row !== undefined;
    },
    renew: async (names, holder, durationMs) => {
      if (names.length === 0) return new Set();
      const rows = await database
        .updateTable('leases')
        .set({ held_until: sql<number>`${clock()} + ${sql.lit(durationMs)}` })
        .where('holder', '=', holder)
        .where('name', 'in', names)
        .returning('name')
        .execute();
      return new Set(rows.map(({ name }) => name));
    },
    release: async (name, holder) => {
      await database
        .deleteFrom('leases')
        .where('name', '=', name)
        .where('holder', '=', holder)
        .execute();
    },
    removeEnded: async () => {
      await database
        .deleteFrom('leases')
        .where('held_until', '<', sql<number>`${clock()} - ${sql.lit(forgottenMs)}`)
        .execute();
    },
  };
}
