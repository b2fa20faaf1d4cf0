import { errorCode } from '../../kernel/error-code.ts';

/** True if a process with this id exists on this machine, of any user. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
