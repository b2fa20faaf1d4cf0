import { formatBytes } from '../../kernel/format.ts';
import { prune, withStore } from '../../server/offline/store.ts';
import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { UsageError } from '../failure.ts';
import { integer, jsonOption } from '../option.ts';

export const storePrune = defineCommand({
  options: {
    days: integer(
      '--days <days>',
      'Delete conversations not used for this many days (default: store.retentionDays)',
      1,
      36_500,
    ),
    maxBytes: integer(
      '--max-bytes <bytes>',
      'Delete the least recently used conversations beyond this size (default: store.maxBytes)',
      0,
      Number.MAX_SAFE_INTEGER,
    ),
    ...jsonOption,
  },
  examples: ['hearth store prune --days 90', 'hearth store prune --max-bytes 1000000000'],
  async run({ context, options }) {
    const result = await withStore(withMigration(context), async ({ store, settings }) => {
      const limits =
        options.days === undefined && options.maxBytes === undefined
          ? { retentionDays: settings['store.retentionDays'], maxBytes: settings['store.maxBytes'] }
          : { retentionDays: options.days, maxBytes: options.maxBytes };
      if (limits.retentionDays === undefined && limits.maxBytes === undefined) {
        throw new UsageError(
          'No limit is set: use --days or --max-bytes, or set store.retentionDays or store.maxBytes.',
        );
      }
      const deleted = await prune(store, limits, context.signal);
      await store.reclaim(context.signal);
      return { deleted, ...(await store.size()) };
    });
    const { output, messages } = context.terminal;
    if (options.json === true) {
      output.json({ deleted: result.deleted, used_bytes: result.usedBytes });
      return;
    }
    messages.line(
      `Deleted ${result.deleted} conversations; the database has ${formatBytes(result.usedBytes)} now. Pinned conversations stay.`,
    );
  },
});
