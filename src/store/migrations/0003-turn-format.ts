import { CompiledQuery } from 'kysely';
import { decodeTurn, encodeTurn } from '../turns/codec.ts';
import { countOf, type Migration } from './migration.ts';

/** Number of rows in memory at a time. */
const batchSize = 50;

/** Rewrites the turns that Hearth 0.1.0 stored in the form that `encodeTurn` writes. */
export const turnFormat: Migration = async (transaction, { onProgress }) => {
  const total = await countOf(transaction, 'responses');
  let done = 0;
  let lastRow = 0;
  while (true) {
    // In the order of the file: ids are random, and rows of many pages would not stay in memory.
    const { rows } = await transaction.executeQuery<{
      readonly row: number;
      readonly content: string;
    }>(
      CompiledQuery.raw(
        'select rowid as row, content from responses where rowid > ? order by rowid limit ?',
        [lastRow, batchSize],
      ),
    );
    for (const { row, content } of rows) {
      const rewritten = rewrite(content);
      if (rewritten === undefined) continue;
      await transaction.executeQuery(
        CompiledQuery.raw('update responses set content = ? where rowid = ?', [rewritten, row]),
      );
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    lastRow = last.row;
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
