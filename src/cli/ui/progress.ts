import { SingleBar } from 'cli-progress';
import type { TerminalStream } from './terminal.ts';
import { formatBytes, formatDuration } from '../../kernel/format.ts';
import type { CommandContext } from '../command.ts';
import type { OfflineHome } from '../../server/offline/offline-home.ts';
import type { InstallProgress } from '../../server/offline/runtimes.ts';

export interface Progress {
  /** @param fraction 0 to 1 */
  update(fraction: number, detail?: string): void;
  /** Removes the bar. */
  stop(): void;
}

/** Shows a bar on a terminal; otherwise writes one plain line per 10 %. */
export function createProgress(stream: TerminalStream, label: string): Progress {
  return stream.isInteractive ? createBar(stream, label) : createLines(stream, label);
}

/** Shows the progress of a task until it ends. */
export async function withProgress<Result>(
  stream: TerminalStream,
  label: string,
  task: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(stream, label);
  try {
    return await task(progress);
  } finally {
    progress.stop();
  }
}

const maxBarWidth = 30;
const minBarWidth = 5;

function createBar(stream: TerminalStream, label: string): Progress {
  const format = createBarFormat(label);
  const bar = new SingleBar({
    stream: stream.raw,
    format: (_, { progress }, { detail }: { detail: string }) =>
      format(progress, detail, stream.columns),
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: false,
  });
  bar.start(100, 0, { detail: '' });
  return {
    update: (fraction, detail = '') => bar.update(Math.floor(fraction * 100), { detail }),
    stop: () => bar.stop(),
  };
}

/**
 * Returns a function that formats the line. The bar takes the width that the text leaves, and is omitted if that is too
 * narrow. The bar never grows, so that it does not jump when the text changes.
 */
export function createBarFormat(label: string) {
  let width = maxBarWidth;
  return (fraction: number, detail: string, columns: number): string => {
    const percentage = `${Math.floor(fraction * 100)} %`.padStart(5);
    width = Math.min(width, columns - 1 - `${label} [] ${percentage}  ${detail}`.length);
    if (width < minBarWidth) return `${label} ${percentage}  ${detail}`.slice(0, columns - 1);
    const filled = '='.repeat(Math.floor(fraction * width));
    return `${label} [${filled.padEnd(width, '-')}] ${percentage}  ${detail}`.trimEnd();
  };
}

function createLines(stream: TerminalStream, label: string): Progress {
  let shownTenth = -1;
  return {
    update(fraction, detail = '') {
      const tenth = Math.floor(fraction * 10);
      if (tenth <= shownTenth) return;
      shownTenth = tenth;
      stream.line(`${label} ${tenth * 10} %  ${detail}`.trimEnd());
    },
    stop: () => {},
  };
}

const refreshMs = 100;

/**
 * Shows a label and the elapsed time while the work runs, then removes the line. Writes one plain line if the
 * stream is not a terminal.
 */
export async function withElapsed<Result>(
  stream: TerminalStream,
  label: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!stream.isInteractive) {
    stream.line(`${label} ...`);
    return work();
  }
  const start = performance.now();
  const show = (): void => {
    const elapsed = formatDuration((performance.now() - start) / 1000);
    stream.write(`\r\u001b[K${label} ${stream.style.dim(elapsed)}`);
  };
  show();
  const timer = setInterval(show, refreshMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    stream.write('\r\u001b[K');
  }
}

interface MigrationView {
  /** @param fraction 0 to 1 */
  show(fraction: number): void;
  /** Removes the bar, for example after a failure. */
  stop(): void;
}

/** Shows the progress of migrating an older database. */
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

/** The home folder for a command that may have to migrate the database. */
export function withMigration(context: CommandContext): OfflineHome {
  return { ...context, migration: createMigrationView(context.terminal.messages) };
}

interface InstallView {
  show(progress: InstallProgress): void;
  stop(): void;
}

/** Shows the progress of a runtime installation: steps as lines, the download as a bar. */
export function createInstallView(stream: TerminalStream): InstallView {
  let bar: Progress | undefined;
  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    show(progress) {
      if (progress.type === 'install.step') {
        stop();
        stream.line(progress.message);
        return;
      }
      const { receivedBytes, totalBytes } = progress;
      if (totalBytes === undefined || totalBytes === 0) return;
      if (receivedBytes >= totalBytes) {
        stop();
        return;
      }
      bar ??= createProgress(stream, 'Downloading the runtime');
      bar.update(
        receivedBytes / totalBytes,
        `${formatBytes(receivedBytes)} of ${formatBytes(totalBytes)}`,
      );
    },
    stop,
  };
}
