import { randomBytes } from 'node:crypto';

/** `resp_` and 48 lower-case hex digits. */
export function newResponseId(): string {
  return `resp_${randomBytes(24).toString('hex')}`;
}
