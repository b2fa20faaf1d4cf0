import type { AdapterScale } from '../../../src/engines/engine.ts';
import { prefixHash } from '../../../src/engines/states/prefix-hash.ts';

/** A prompt with 64 tokens for each letter. */
export function letterPrompt(
  letters: string,
  ownerId: string | null = null,
  adapters: readonly AdapterScale[] = [],
) {
  const text = letters
    .split('')
    .map((letter) => letter.repeat(256))
    .join('');
  return {
    ownerId,
    responseId: null,
    adapters,
    prefix: prefixHash(ownerId, { kind: 'completion', prompt: text, sampling: {}, adapters }),
  };
}
