import { createProgress, type Progress } from './progress.ts';
import type { CommandContext } from '../context.ts';
import type { OfflineHome } from '../../server/offline/offline-home.ts';
import type { TerminalStream } from './terminal.ts';

interface MigrationView {
  /** @param fraction 0 to 1 */
  show(fraction: number): void;
  /** Removes the bar, such as after a failure. */
  stop(): void;
}

/** Shows how far the migration of an older database is. */
export function createMigrationView(stream: TerminalStream): MigrationView {
  let bar: Progress | undefined;
  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    show(fraction) {
      bar ??= createProgress(stream, 'Updating the database');
      bar.update(fraction);
      if (fraction >= 1) stop();
    },
    stop,
  };
}

/** The home folder of a command that may migrate its database. */
export function withMigration(context: CommandContext): OfflineHome {
  return { ...context, migration: createMigrationView(context.terminal.messages) };
}
