import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { CommandError } from '../failure.ts';
import { withSqliteStore } from '../../server/offline/store.ts';
import { flag, jsonOption, required } from '../option.ts';
import { formatPath } from '../ui/format-path.ts';

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
