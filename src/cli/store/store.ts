import { defineCommand } from '../command.ts';
import { withMigration, withProgress } from '../ui/progress.ts';
import {
  assertNoServer,
  checkTables,
  CopyError,
  copyTables,
  databaseFile,
  existingDatabase,
  prune,
  readSettings,
  restoreBackup,
  withObjects,
  withSqliteStore,
  withStore,
  withTables,
} from '../../server/offline/store.ts';
import { flag, integer, jsonOption, required, text } from '../option.ts';
import { resolve } from 'node:path';
import { isPostgresUrl, withoutPassword } from '../../kernel/postgres-url.ts';
import { CommandError, UsageError } from '../failure.ts';
import { existsSync } from 'node:fs';
import { formatPath } from '../ui/format-path.ts';
import { formatBytes, formatNumberOf } from '../../kernel/format.ts';

export const storeMigrate = defineCommand({
  options: jsonOption,
  examples: ['hearth store migrate'],
  async run({ context, options }) {
    const migrated = await withStore(
      withMigration(context),
      async ({ migrated: versions }) => versions,
    );
    const { output, messages } = context.terminal;
    if (options.json === true) output.json({ migrated: migrated ?? null });
    else {
      messages.line(
        migrated === undefined
          ? 'The schema of the database is up to date.'
          : `Migrated the database from schema ${migrated.from} to ${migrated.to}.`,
      );
    }
  },
});

export const storeCheck = defineCommand({
  options: jsonOption,
  examples: ['hearth store check'],
  async run({ context, options }) {
    const { rowCounts, problems } = await withTables(
      withMigration(context),
      await existingDatabase(context, undefined),
      (tables) => withObjects(context, (objects) => checkTables(tables, context.signal, objects)),
    );
    const { output, messages } = context.terminal;
    if (options.json === true) output.json({ rows: rowCounts, problems });
    else {
      for (const problem of problems) output.line(problem);
      messages.line(
        problems.length === 0
          ? `The database is in order: ${rowCounts['responses'] ?? 0} responses in ${rowCounts['conversations'] ?? 0} conversations.`
          : `The database has ${formatNumberOf(problems.length, 'problem')}.`,
      );
    }
    return problems.length === 0 ? 0 : 1;
  },
});

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
    const copied = await withProgress(messages, 'Copying', (progress) =>
      withTables(withMigration(context), from, (source) =>
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
      ),
    ).catch((error: unknown) => {
      throw error instanceof CopyError ? new CommandError(error.message) : error;
    });
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

export const storeBackup = defineCommand({
  positionals: { file: required('File of the backup') },
  options: { force: flag('-f, --force', 'Replace an existing file'), ...jsonOption },
  examples: ['hearth store backup hearth-backup.db'],
  async run({ context, options, positionals }) {
    const file = resolve(positionals.file);
    if (options.force !== true && existsSync(file)) {
      throw new CommandError(`${file} exists. Choose another name, or use --force to replace it.`);
    }
    await withSqliteStore(withMigration(context), 'Back it up with `pg_dump`.', (store) =>
      store.backUp(file),
    );
    const { output, messages } = context.terminal;
    if (options.json === true) output.json({ file });
    else
      messages.line(
        `Wrote ${formatPath(file)}. It has all conversations and the hashes of tokens.`,
      );
  },
});

export const storeRestore = defineCommand({
  positionals: { file: required('File of the backup') },
  options: jsonOption,
  examples: ['hearth store restore hearth-backup.db'],
  async run({ context, options, positionals }) {
    const backup = resolve(positionals.file);
    if (!existsSync(backup))
      throw new CommandError(
        `There is no file ${backup}. Create one with \`hearth store backup FILE\`, or check the path.`,
      );
    await assertNoServer(context);
    const instead = 'Restore a backup of `pg_dump` with `pg_restore` or `psql`.';
    const file = databaseFile(context, await readSettings(context), instead);
    const previous = await restoreBackup(backup, file);
    const { output, messages } = context.terminal;
    if (options.json === true) output.json({ file, previous: previous ?? null });
    else {
      messages.line(
        previous === undefined
          ? `Restored ${formatPath(file)}.`
          : `Restored ${formatPath(file)}. The previous database is ${formatPath(previous)}.`,
      );
    }
  },
});

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
