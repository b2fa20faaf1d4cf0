import { SingleBar } from 'cli-progress';
import type { TerminalStream } from './terminal.ts';

export interface Progress {
  /** @param fraction 0 to 1 */
  update(fraction: number, detail?: string): void;
  /** Removes the bar. */
  stop(): void;
}

/** A bar on a terminal; elsewhere a plain line for each tenth. */
export function createProgress(stream: TerminalStream, label: string): Progress {
  return stream.isInteractive ? createBar(stream, label) : createLines(stream, label);
}

function createBar(stream: TerminalStream, label: string): Progress {
  const bar = new SingleBar({
    stream: stream.raw,
    format: `${label} [{bar}] {percentage} %  {detail}`,
    barsize: 30,
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: false,
  });
  bar.start(100, 0, { detail: '' });
  return {
    update: (fraction, detail = '') => bar.update(Math.round(fraction * 100), { detail }),
    stop: () => bar.stop(),
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
