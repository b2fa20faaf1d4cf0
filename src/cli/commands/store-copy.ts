import { resolve } from 'node:path';
import { isPostgresUrl, withoutPassword } from '../../kernel/postgres-url.ts';
import {
  CopyError,
  copyTables,
  assertNoServer,
  existingDatabase,
  withObjects,
  withTables,
} from '../../server/offline/store.ts';
import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { CommandError } from '../failure.ts';
import { jsonOption, required, text } from '../option.ts';
import { createProgress } from '../ui/progress.ts';

export const storeCopy = defineCommand({
  positionals: { to: required('File or postgres:// URL of an empty database') },
  options: {
    from: text('--from <database>', 'File or postgres:// URL to copy from (default: store.url)'),
    ...jsonOption,
  },
  examples: [
    'hearth store copy postgres://hearth@db.example.com/hearth',
    'hearth store copy --from postgres://hearth@db.example.com/hearth hearth.db',
  ],
  async run({ context, options, positionals }) {
    await assertNoServer(context);
    const from = await existingDatabase(
      context,
      options.from === undefined ? undefined : toUrl(options.from),
    );
    const to = toUrl(positionals.to);
    const { output, messages } = context.terminal;
    const progress = createProgress(messages, 'Copying');
    const copied = await withTables(withMigration(context), from, (source) =>
      withTables(withMigration(context), to, (target) =>
        withObjects(context, (objects) =>
          copyTables({
            from: source,
            to: target,
            objects,
            onProgress: (done, total) => progress.update(total === 0 ? 1 : done / total),
            signal: context.signal,
          }),
        ),
      ),
    )
      .catch((error: unknown) => {
        throw error instanceof CopyError ? new CommandError(error.message) : error;
      })
      .finally(() => progress.stop());
    if (options.json === true) {
      output.json({
        tables: copied.map(({ name, rowCount, sha256 }) => ({ name, rows: rowCount, sha256 })),
      });
      return;
    }
    for (const { name, rowCount, sha256 } of copied) {
      output.line(`${name}: ${rowCount} rows, SHA-256 ${sha256.slice(0, 16)}…`);
    }
    messages.line(
      `Copied and verified. To use it: \`hearth config set store.url ${withoutPassword(to)}\``,
    );
  },
});

function toUrl(database: string): string {
  return isPostgresUrl(database) ? database : resolve(database);
}
