import { CompiledQuery } from 'kysely';
import { decodeTurn, encodeTurn } from '../../conversation/codec.ts';
import { countOf, type Migration } from './migration.ts';

/** Number of rows in memory at a time. */
const batchSize = 50;

/** Rewrites the turns that Hearth 0.1.0 stored in the form that `encodeTurn` writes. */
export const turnFormat: Migration = async (transaction, { onProgress }) => {
  const total = await countOf(transaction, 'responses');
  let done = 0;
  let lastId = '';
  while (true) {
    const rows = await transaction
      .selectFrom('responses')
      .where('id', '>', lastId)
      .orderBy('id')
      .select(['id', 'content'])
      .limit(batchSize)
      .execute();
    for (const { id, content } of rows) {
      const rewritten = rewrite(content);
      if (rewritten === undefined) continue;
      await transaction.executeQuery(
        CompiledQuery.raw('update responses set content = ? where id = ?', [rewritten, id]),
      );
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    lastId = last.id;
    done += rows.length;
    await onProgress(done, total);
  }
};

/** Undefined for a damaged row, which stays unchanged: reading it fails, but other rows work. */
function rewrite(content: string): string | undefined {
  try {
    return encodeTurn(decodeTurn(content));
  } catch {
    return undefined;
  }
}
