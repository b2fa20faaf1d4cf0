import type { Kysely } from 'kysely';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Schema } from './schema.ts';
import { StepSize } from './steps.ts';

/** `needed`: the walk stops before the first response that must be kept. `never`: it continues to the beginning. */
type StopsBefore = 'never' | 'needed';

/**
 * Returns the ids of a response and its ancestors, newest first. Reads them in steps.
 *
 * @param stopsBefore With `needed`, the ancestors are only tombstones that no other response continues.
 */
export async function ancestryOf(
  database: Kysely<Schema>,
  id: string,
  stopsBefore: StopsBefore = 'never',
): Promise<string[]> {
  const ids = [id];
  const steps = new StepSize();
  while (true) {
    const { size } = steps;
    const startedAt = performance.now();
    const step = await ancestorsOf(database, ids.at(-1) ?? id, size, stopsBefore);
    steps.learn(performance.now() - startedAt);
    for (const ancestor of step) ids.push(ancestor);
    if (step.length < size) return ids;
    await nextLoop();
  }
}

async function ancestorsOf(
  database: Kysely<Schema>,
  id: string,
  count: number,
  stopsBefore: StopsBefore,
): Promise<readonly string[]> {
  const rows = await database
    .withRecursive('ancestry(id, parent_id, distance)', (query) =>
      query
        .selectFrom('responses')
        .where('id', '=', id)
        .select((expression) => ['id', 'parent_id', expression.lit(0).as('distance')])
        .unionAll(
          query
            .selectFrom('responses as parent')
            .innerJoin('ancestry', 'ancestry.parent_id', 'parent.id')
            .where('ancestry.distance', '<', count)
            .$if(stopsBefore === 'needed', (unneeded) =>
              unneeded
                .where('parent.deleted_at', 'is not', null)
                .where((expression) =>
                  expression.not(
                    expression.exists(
                      expression
                        .selectFrom('responses as child')
                        .whereRef('child.parent_id', '=', 'parent.id')
                        .whereRef('child.id', '!=', 'ancestry.id')
                        .select('child.id'),
                    ),
                  ),
                ),
            )
            .select((expression) => [
              'parent.id',
              'parent.parent_id',
              expression('ancestry.distance', '+', 1).as('distance'),
            ]),
        ),
    )
    .selectFrom('ancestry')
    .where('distance', '>', 0)
    .orderBy('distance')
    .select('id')
    .execute();
  return rows.map((row) => row.id);
}
