import type { ModelScope } from '../kernel/model-scope.ts';
import type { ChainEntry } from './model-aliases.ts';
import type { ProjectorFacts } from './projector-facts.ts';
import type { TokenizerFacts } from './tokenizer-facts.ts';

/** A model on disk or of a remote server, with the data that is known without starting an engine. */

type ModelType = 'llm' | 'vlm' | 'embeddings' | 'reranker';

export interface ReasoningCapability {
  readonly allowedOptions: readonly ('off' | 'low' | 'medium' | 'high' | 'on')[];
  readonly default: 'off' | 'low' | 'medium' | 'high' | 'on';
}

/** One quantization of a model: one GGUF (perhaps split), or one MLX folder. */
export interface ModelVariant {
  /** Suffix after `@`, lower case, such as `q4_k_m`. */
  readonly id: string;
  readonly quantization: { readonly name: string; readonly bitsPerWeight: number } | null;
  /** The GGUF to load (the first part of a split one), the MLX folder, or the id of a remote model. */
  readonly path: string;
  /** All its files except the projector. */
  readonly files: readonly string[];
  /** Total size of the weights, including the projector. */
  readonly sizeBytes: number;
  /** The weights by their place in the engine, in bytes; only for GGUF. */
  readonly weights?: {
    /** Embeddings, which stay in main memory. */
    readonly inputBytes: number;
    readonly outputBytes: number;
    /** `bytes` includes `expertBytes`. */
    readonly layers: readonly { readonly bytes: number; readonly expertBytes: number }[];
  };
}

export interface ModelEntry {
  /** `publisher/name`, lower case: the value of `model` in requests. */
  readonly key: string;
  readonly publisher: string;
  /** The linked machine that runs the model. */
  readonly machine?: string | undefined;
  /** The same model on linked machines; absent if no other has it. */
  readonly elsewhere?: readonly ModelEntry[];
  readonly displayName: string;
  readonly type: ModelType;
  readonly format: 'gguf' | 'mlx' | 'remote';
  readonly architecture: string;
  /** Number of parameters, such as `7B`; null if unknown. */
  readonly parameterLabel: string | null;
  readonly maxContextLength: number;
  readonly isTrainedForToolUse: boolean;
  readonly reasoning: ReasoningCapability | null;
  readonly supportsInfill: boolean;
  readonly hearsAudio: boolean;
  readonly projectorPath: string | null;
  readonly description: string | null;
  /** Best first; at least one. */
  readonly variants: readonly ModelVariant[];
  /** Sizes of the projector for the memory estimate; null if there is none. */
  readonly projector: ({ readonly sizeBytes: number } & ProjectorFacts) | null;
  /**
   * Facts about the model's KV cache. Bytes per token are sums over the caching layers, at f16. null if the header has
   * no data, and for encoders, which have no cache.
   */
  readonly attention:
    | ({
        readonly layerCount: number;
        /** Layers that cache only the last tokens; null if there are none. */
        readonly window: ({ readonly tokens: number } & CacheBytesPerToken) | null;
        /** State of recurrent layers, independent of the context. */
        readonly recurrentBytesPerSlot: number;
      } & CacheBytesPerToken)
    | null;
  /** Sizes that determine the engine's buffers, 0 if the header has none; null for MLX. */
  readonly dimensions: ModelDimensions | null;
  /** null if unknown. */
  readonly tokenizer: TokenizerFacts | null;
}

interface CacheBytesPerToken {
  readonly keyBytesPerToken: number;
  readonly valueBytesPerToken: number;
}

interface ModelDimensions {
  readonly embedding: number;
  readonly feedForward: number;
  /** True if feed-forward layers have a gate, as most do. */
  readonly isGated: boolean;
  readonly heads: number;
  /** Sum over all heads of a layer; so is `keyValue`. */
  readonly query: number;
  readonly keyValue: number;
  /** null for a model that is not a mixture of experts. */
  readonly experts: { readonly used: number; readonly feedForward: number } | null;
  /** Number of tokens. */
  readonly vocabulary: number;
  /** Number of the tokenizer's merges. */
  readonly merges: number;
  /** Layers that predict tokens further ahead (multi-token prediction); absent: none. */
  readonly predictingLayers?: number;
}

/** A model and the variant that a request selects. */
export interface ModelSelection {
  readonly model: ModelEntry;
  readonly variant: ModelVariant;
  /** The alias or profile in the request; absent if it named the model itself. */
  readonly alias?: string;
  /** The models of the alias; the selection is the first that exists. */
  readonly chain?: readonly ChainEntry[];
  /** The same model on linked machines. */
  readonly elsewhere?: readonly ModelSelection[];
}

export interface ModelLibrary {
  /** Every readable model, by key; files that can't be read are omitted and logged once. */
  list(): Promise<readonly ModelEntry[]>;

  /**
   * Finds a model by `publisher/name`, by `name` alone if it is unambiguous, each with or without a variant suffix
   * `@q4_k_m`, or by an alias; ignores case.
   *
   * @param scope The models that may be found; all if absent.
   * @throws HearthError `model_not_found`, with the existing keys; `corrupt_file` for a file that is in the library but
   * can't be read; `forbidden` for a model outside the scope.
   */
  find(identifier: string, scope?: ModelScope): Promise<ModelSelection>;
}

/** The files to be removed, as passed to `assertUnused`. */
export interface PlannedRemoval {
  readonly key: string;
  /** `publisher/name` of the folder, in lower case; the hub's name for the repository. */
  readonly repositoryName: string;
  /** Paths, like `ModelVariant.files`. */
  readonly files: readonly string[];
}

export interface RemovedModel {
  /** `publisher/name`, or `publisher/name@q4_k_m` if one of several variants was removed. */
  readonly name: string;
  /** Freed bytes; links and files with other hard links free none. */
  readonly freedBytes: number;
}

export interface EditableModelLibrary extends ModelLibrary {
  /**
   * Removes a model from the disk, or one variant of it if the identifier names one. Also removes models whose files
   * can't be read.
   *
   * @param assertUnused Called right before the removal; if it throws, no file is removed.
   * @param scope As for `find`.
   * @throws HearthError `model_not_found`; `conflict` for a model that is not in the library's own folder; `forbidden`.
   */
  remove(
    identifier: string,
    assertUnused: (removal: PlannedRemoval) => void | Promise<void>,
    scope?: ModelScope,
  ): Promise<RemovedModel>;
}
