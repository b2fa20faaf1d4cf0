import { sql, type RawBuilder } from 'kysely';

/** The present time in Unix milliseconds, as an expression: one clock for all processes of a database. */
export type StoreClock = () => RawBuilder<number>;

/** For a database that one process uses. It continues where the clock of the machine is set back. */
export const processClock: StoreClock = () =>
  sql.val(Math.round(performance.timeOrigin + performance.now()));

/** The clock of the server, since those of its clients differ. */
export const postgresClock: StoreClock = () =>
  sql<number>`(extract(epoch from clock_timestamp()) * 1000)::double precision`;
