import { setImmediate as nextLoop } from 'node:timers/promises';
import type { DeleteResult } from 'kysely';

/**
 * Deletes many rows with one statement after the other, until nothing is left; other work of the server runs between two.
 *
 * @param deleteSome Deletes a limited number of the rows.
 */
export async function deleteInSteps(deleteSome: () => Promise<DeleteResult>): Promise<void> {
  while ((await deleteSome()).numDeletedRows > 0n) await nextLoop();
}
