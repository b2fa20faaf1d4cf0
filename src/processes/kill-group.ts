import { errorCode } from '../error-code.ts';

/**
 * Sends a signal to a process that was started detached, and on POSIX to its whole group. Does nothing if the process
 * no longer exists.
 */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if (!isGone(errorCode(error))) throw error;
  }
}

/** macOS reports `EPERM` for a group that was not reaped yet, other systems for a reused id. */
function isGone(code: string | undefined): boolean {
  return code === 'ESRCH' || code === 'EPERM';
}
