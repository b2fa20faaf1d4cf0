interface SignalFacts {
  readonly platform: NodeJS.Platform;
  /** Linux: the content of `/proc/self/status`. */
  readonly processStatus?: string | undefined;
  /** Whether the output is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * The signals that stop a command in an orderly way: Ctrl-C, SIGTERM, the end of the terminal or console (SIGHUP), and
 * Ctrl-Break on Windows. A process that `nohup` started ignores SIGHUP and must continue to do so.
 */
export function stopSignals({
  platform,
  processStatus = '',
  isTerminal,
}: SignalFacts): readonly NodeJS.Signals[] {
  const always = ['SIGINT', 'SIGTERM'] as const;
  if (platform === 'win32') return [...always, 'SIGHUP', 'SIGBREAK'];
  const ignored = /^SigIgn:\s*([0-9a-f]{1,16})$/mu.exec(processStatus)?.[1];
  // Bit 0 is SIGHUP; other systems do not tell, but `nohup` redirects the output.
  const ignoresHangUp = ignored === undefined ? !isTerminal : (BigInt(`0x${ignored}`) & 1n) === 1n;
  return ignoresHangUp ? always : [...always, 'SIGHUP'];
}
