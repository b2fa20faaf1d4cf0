import { SingleBar } from 'cli-progress';
import type { TerminalStream } from './terminal.ts';

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
 * Formats the line. The bar takes the width that the text leaves, and is omitted if that is too narrow. The bar
 * never grows again, so that it does not jump when the text changes.
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
