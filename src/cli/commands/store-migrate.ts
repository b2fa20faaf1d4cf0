import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { withStore } from '../../server/offline/store.ts';
import { jsonOption } from '../option.ts';

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
