/** What the library knows of a model on disk, without starting an engine. */

type ModelType = 'llm' | 'vlm' | 'embeddings';

export interface ReasoningCapability {
  readonly allowedOptions: readonly ('off' | 'low' | 'medium' | 'high' | 'on')[];
  readonly default: 'off' | 'low' | 'medium' | 'high' | 'on';
}

/** One quantization of a model: one GGUF (perhaps split), or one MLX folder. */
export interface ModelVariant {
  /** Suffix after `@`, lower case, such as `q4_k_m`. */
  readonly id: string;
  readonly quantization: { readonly name: string; readonly bitsPerWeight: number } | null;
  /** The GGUF to load (the first of a split), or the MLX folder. */
  readonly path: string;
  /** All files that belong to it, the projector left out. */
  readonly files: readonly string[];
  /** Sum of the weights' files, the projector's included. */
  readonly sizeBytes: number;
}

export interface ModelEntry {
  /** `publisher/name`, lower case: what requests say in `model`. */
  readonly key: string;
  readonly publisher: string;
  readonly displayName: string;
  readonly type: ModelType;
  readonly format: 'gguf' | 'mlx';
  readonly architecture: string;
  /** Such as `7B`; null where the file does not say. */
  readonly parameterLabel: string | null;
  readonly maxContextLength: number;
  readonly isTrainedForToolUse: boolean;
  readonly reasoning: ReasoningCapability | null;
  readonly supportsInfill: boolean;
  readonly projectorPath: string | null;
  readonly description: string | null;
  /** Best first; never empty. */
  readonly variants: readonly ModelVariant[];
  /**
   * What a memory estimate needs: bytes of the KV cache for each token of context, at f16, summed over
   * the layers whose cache grows with the context (not those that are recurrent or look at a window).
   * null where the header does not say, and for encoders, which keep no cache.
   */
  readonly attention: {
    readonly layerCount: number;
    readonly keyBytesPerToken: number;
    readonly valueBytesPerToken: number;
  } | null;
}

/** A model and the variant that a request means. */
export interface ModelSelection {
  readonly model: ModelEntry;
  readonly variant: ModelVariant;
}

export interface ModelLibrary {
  /** Every readable model, by key; files that can't be read are left out and logged once. */
  list(): Promise<readonly ModelEntry[]>;

  /**
   * Finds a model by `publisher/name`, by `name` alone where that is unambiguous, each with or without
   * a variant suffix `@q4_k_m`; letters' case does not matter.
   *
   * @throws HearthError `model_not_found`, naming the keys there are; `corrupt_file` for a file that
   *   is in the library but can't be read.
   */
  find(identifier: string): Promise<ModelSelection>;
}
