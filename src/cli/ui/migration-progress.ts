import { createProgress, type Progress } from './progress.ts';
import type { TerminalStream } from './terminal.ts';

/** Shows how far the migration of an older database is. */
export function createMigrationView(stream: TerminalStream): { show(fraction: number): void } {
  let bar: Progress | undefined;
  return {
    show(fraction) {
      bar ??= createProgress(stream, 'Updating the database');
      bar.update(fraction);
      if (fraction < 1) return;
      bar.stop();
      bar = undefined;
    },
  };
}
