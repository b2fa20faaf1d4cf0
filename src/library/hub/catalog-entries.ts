import listed from './catalog-entries.json' with { type: 'json' };

/** A well-known small model with a short name. */
export interface CatalogEntry {
  /** Value of `model` in a request: lower-case letters, digits, `.` and `-`. */
  readonly id: string;
  readonly type: 'llm' | 'vlm' | 'embedding' | 'reranker';
  /** `owner/name` on huggingface.co. */
  readonly repository: string;
  readonly quantization: string;
  /** Bytes to download, including the projector; accurate to about 10 %, since repositories change. */
  readonly approximateBytes: number;
  /** The license, as named by the publisher. */
  readonly license: string;
  readonly description: string;
  /**
   * The smallest vector length that the publisher of an embedding model recommends, if its vectors may be truncated
   * (Matryoshka representation learning).
   */
  readonly minDimensions?: number;
  /** In a mixture of experts, the share of the weights that the model reads for a token. */
  readonly activeShare?: number;
}

/** Models of each type, smallest first, from repositories of their publishers, llama.cpp or Unsloth. */
export const catalogEntries = listed as readonly CatalogEntry[];
