import { errorCode } from '../error-code.ts';

/** Signals a process that was started detached, and on POSIX all that it started; fine when it is no more. */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if (!isGone(errorCode(error))) throw error;
  }
}

/** `EPERM`: macOS says so of a group that waits to be reaped, others of an id that was given anew. */
function isGone(code: string | undefined): boolean {
  return code === 'ESRCH' || code === 'EPERM';
}
