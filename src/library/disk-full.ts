import { errorCode } from '../kernel/error-code.ts';

/** True if a write failed because the disk or its quota is full. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
