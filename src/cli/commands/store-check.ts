import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import {
  existingDatabase,
  withObjects,
  withTables,
  checkTables,
} from '../../server/offline/store.ts';
import { jsonOption } from '../option.ts';

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
          : `The database has ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}.`,
      );
    }
    return problems.length === 0 ? 0 : 1;
  },
});
