import type { GgufMetadata } from './gguf/metadata.ts';

/** Guarantees of a tokenizer, used to bound token counts. */
export interface TokenizerFacts {
  /** `bytes`: every byte of a text is in a token; `words`: white space folds, and a word is one token at least. */
  readonly keeps: 'bytes' | 'words';
  /** Length of the longest token, in bytes or more. */
  readonly longestTokenBytes: number;
}

/** Names of `tokenizer.ggml.model`. */
const kinds: Readonly<Record<string, TokenizerFacts['keeps']>> = {
  gpt2: 'bytes',
  llama: 'bytes',
  bert: 'words',
  t5: 'words',
};

/** null for a tokenizer of another kind, and if the header has no vocabulary. */
export function tokenizerFacts({ values, longestItems }: GgufMetadata): TokenizerFacts | null {
  const keeps = kinds[String(values.get('tokenizer.ggml.model'))];
  const longestTokenBytes = longestItems.get('tokenizer.ggml.tokens') ?? 0;
  return keeps === undefined || longestTokenBytes === 0 ? null : { keeps, longestTokenBytes };
}
