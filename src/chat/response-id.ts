import { randomBytes } from '../random-bytes.ts';

/** `resp_` and 48 lower-case hex digits. */
export function newResponseId(): string {
  return `resp_${randomBytes(24).toString('hex')}`;
}
