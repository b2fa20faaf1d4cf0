import { randomBytes } from 'node:crypto';

/** Nine letters and digits, which every chat template takes. */
export function newCallId(): string {
  return randomBytes(5).toString('hex').slice(0, 9);
}
