/** Signals a process that was started detached, and on POSIX all that it started; fine when it is no more. */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && isGone(error.code))) throw error;
  }
}

/** `EPERM`: macOS says so of a group that waits to be reaped, others of an id that was given anew. */
function isGone(code: unknown): boolean {
  return code === 'ESRCH' || code === 'EPERM';
}
