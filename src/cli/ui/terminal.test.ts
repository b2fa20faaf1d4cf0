import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createMemoryTerminal } from '../../../test/setup/cli/memory-terminal.ts';
import { createInstallView, createBarFormat, createProgress } from './progress.ts';
import { createTerminal } from './terminal.ts';

describe('createTerminal', () => {
  it('uses colors on terminals only, and not with NO_COLOR', () => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = new PassThrough();
    const colored = createTerminal({ stdout, stderr, environment: {} });
    expect(colored.output.style.red('x')).toBe('\u001b[31mx\u001b[39m');
    expect(colored.messages.style.red('x')).toBe('x');
    const plain = createTerminal({ stdout, stderr, environment: { NO_COLOR: '1' } });
    expect(plain.output.style.red('x')).toBe('x');
  });

  it('stays silent when the reader has exited', () => {
    const stdout = new PassThrough();
    const terminal = createTerminal({ stdout, stderr: new PassThrough(), environment: {} });
    expect(terminal.outputClosed.aborted).toBe(false);
    stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(terminal.outputClosed.aborted).toBe(true);
    terminal.output.line('lost');
    expect(stdout.read()).toBeNull();
  });
});

describe('createProgress', () => {
  it('writes a line per 10 % without a terminal', () => {
    const { terminal, stderr } = createMemoryTerminal();
    const progress = createProgress(terminal.messages, 'Copying');
    for (const fraction of [0, 0.05, 0.31, 0.32, 1]) progress.update(fraction, '5 MB');
    progress.stop();
    expect(stderr.text).toBe('Copying 0 %  5 MB\nCopying 30 %  5 MB\nCopying 100 %  5 MB\n');
  });
});

describe('createBarFormat', () => {
  const detail = '12.0 MB of 40.0 MB, 3.1 MB/s, 9 s left';

  it.each([
    [120, 'Downloading [=========---------------------]  30 %  '],
    [80, 'Downloading [=====--------------]  30 %  '],
    [60, 'Downloading  30 %  '],
  ])('fits into %d columns', (columns, beginning) => {
    const line = createBarFormat('Downloading')(0.3, detail, columns);
    expect(line).toBe(`${beginning}${detail}`);
    expect(line.length).toBeLessThan(columns);
  });

  it('keeps the width of the bar when the text gets shorter', () => {
    const format = createBarFormat('Downloading');
    format(0.5, detail, 80);
    expect(format(1, '', 80)).toBe('Downloading [===================] 100 %');
  });

  it('truncates text that is too long', () => {
    expect(createBarFormat('Downloading')(1, detail, 30)).toBe('Downloading 100 %  12.0 MB of');
  });
});

describe('createInstallView', () => {
  it('shows steps and the download between them', () => {
    const { terminal, stderr } = createMemoryTerminal();
    const view = createInstallView(terminal.messages);
    view.show({ type: 'install.step', message: 'Fetching' });
    view.show({ type: 'download.progress', receivedBytes: 500_000, totalBytes: 1_000_000 });
    view.show({ type: 'download.progress', receivedBytes: 1_000_000, totalBytes: 1_000_000 });
    view.show({ type: 'install.step', message: 'Checking' });
    view.stop();
    expect(stderr.text).toBe(
      'Fetching\nDownloading the runtime 50 %  500 KB of 1.0 MB\nChecking\n',
    );
  });
});
