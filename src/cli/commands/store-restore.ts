import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  restoreBackup,
  assertNoServer,
  databaseFile,
  readSettings,
} from '../../server/offline/store.ts';
import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { jsonOption, required } from '../option.ts';
import { formatPath } from '../ui/format-path.ts';

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
