import type { InstallProgress } from '../../server/offline/runtimes.ts';
import { formatBytes } from '../../kernel/format.ts';
import { createProgress, type Progress } from './progress.ts';
import type { TerminalStream } from './terminal.ts';

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
