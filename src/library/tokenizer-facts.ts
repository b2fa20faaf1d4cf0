import type { GgufMetadata } from './gguf/metadata.ts';

/** Guarantees of a tokenizer, used to bound token counts. */
export interface TokenizerFacts {
  /**
   * `bytes`: the tokens contain every byte of a text. `words`: white space is folded, and each word has at least one
   * token.
   */
  readonly keeps: 'bytes' | 'words';
  /** Upper bound of a token's length, in bytes. */
  readonly longestTokenBytes: number;
}

/** Values of `tokenizer.ggml.model`. */
const kinds: Readonly<Record<string, TokenizerFacts['keeps']>> = {
  gpt2: 'bytes',
  llama: 'bytes',
  bert: 'words',
  t5: 'words',
};

/** Extracts the guarantees; null for other kinds of tokenizers, and if the header has no vocabulary. */
export function tokenizerFacts({ values, longestItems }: GgufMetadata): TokenizerFacts | null {
  const keeps = kinds[String(values.get('tokenizer.ggml.model'))];
  const longestTokenBytes = longestItems.get('tokenizer.ggml.tokens') ?? 0;
  return keeps === undefined || longestTokenBytes === 0 ? null : { keeps, longestTokenBytes };
}
