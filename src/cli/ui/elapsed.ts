import type { TerminalStream } from './terminal.ts';
import { formatDuration } from '../../kernel/format.ts';

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
