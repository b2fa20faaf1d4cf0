import { randomBytes } from '../../../kernel/random-bytes.ts';

/** The fields that all chunks of a completion share, and that a whole result begins with. */
export function completionHead<Name extends string>(
  prefix: 'chatcmpl' | 'cmpl',
  object: Name,
): { readonly id: string; readonly object: Name; readonly created: number } {
  // 21 of a-z and 0-9.
  const characters = Array.from(randomBytes(21), (byte) => (byte % 36).toString(36));
  return {
    id: `${prefix}-${characters.join('')}`,
    object,
    created: Math.floor(Date.now() / 1000),
  };
}
