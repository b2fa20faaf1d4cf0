import { randomBytes, randomInt } from 'node:crypto';

/** `resp_` and 48 lower-case hex digits. */
export function newResponseId(): string {
  return `resp_${randomBytes(24).toString('hex')}`;
}

/** `chatcmpl-` or `cmpl-` and 21 of a-z and 0-9. */
export function newCompletionId(prefix: 'chatcmpl' | 'cmpl'): string {
  const characters = Array.from({ length: 21 }, () => randomInt(36).toString(36));
  return `${prefix}-${characters.join('')}`;
}
