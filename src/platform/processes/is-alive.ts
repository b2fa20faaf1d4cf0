import { errorCode } from '../../kernel/error-code.ts';

/** True if this machine has a process with this id, of any user. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
