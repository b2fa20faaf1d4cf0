import { formatBytes } from '../../kernel/format.ts';
import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { assertNoServer, withSqliteStore } from '../../server/offline/store.ts';
import { jsonOption } from '../option.ts';

const instead = 'PostgreSQL frees space by itself (autovacuum).';

export const storeVacuum = defineCommand({
  options: jsonOption,
  examples: ['hearth store vacuum'],
  async run({ context, options }) {
    await assertNoServer(context);
    const { usedBytes, freedBytes } = await withSqliteStore(
      withMigration(context),
      instead,
      async (store) => {
        const before = await store.size();
        await store.rewrite();
        const after = await store.size();
        return {
          usedBytes: after.usedBytes,
          freedBytes: before.usedBytes + before.freeBytes - after.usedBytes - after.freeBytes,
        };
      },
    );
    const { output, messages } = context.terminal;
    if (options.json === true) output.json({ used_bytes: usedBytes, freed_bytes: freedBytes });
    else {
      messages.line(
        `The database has ${formatBytes(usedBytes)} now; ${formatBytes(Math.max(0, freedBytes))} were freed.`,
      );
    }
  },
});
