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
  /** The weights by their place in the engine, in bytes; only of GGUF. */
  readonly weights?: {
    /** Embeddings, which stay in the memory of the machine. */
    readonly inputBytes: number;
    readonly outputBytes: number;
    /** `expertBytes` is a part of `bytes`. */
    readonly layers: readonly { readonly bytes: number; readonly expertBytes: number }[];
  };
}

export interface ModelEntry {
  /** `publisher/name`, lower case: the value of `model` in requests. */
  readonly key: string;
  readonly publisher: string;
  /** Linked machine that runs it. */
  readonly machine?: string | undefined;
  /** The same model on linked machines, if it is elsewhere, too. */
  readonly elsewhere?: readonly ModelEntry[];
  readonly displayName: string;
  readonly type: ModelType;
  readonly format: 'gguf' | 'mlx' | 'remote';
  readonly architecture: string;
  /** Such as `7B`; null if it is unknown. */
  readonly parameterLabel: string | null;
  readonly maxContextLength: number;
  readonly isTrainedForToolUse: boolean;
  readonly reasoning: ReasoningCapability | null;
  readonly supportsInfill: boolean;
  readonly hearsAudio: boolean;
  readonly projectorPath: string | null;
  readonly description: string | null;
  /** Best first; never empty. */
  readonly variants: readonly ModelVariant[];
  /** Sizes of the projector for the memory estimate; null if there is none. */
  readonly projector: ({ readonly sizeBytes: number } & ProjectorFacts) | null;
  /**
   * The engine's cache for processed tokens. The bytes per token assume f16, summed over the layers that cache it.
   * null if the header has no data, and for encoders, which have no cache.
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
  /** True if feed-forward layers have a gate beside them, as most do. */
  readonly isGated: boolean;
  readonly heads: number;
  /** Sum over all heads of a layer, like `keyValue`. */
  readonly query: number;
  readonly keyValue: number;
  /** null for a model that is not a mixture of experts. */
  readonly experts: { readonly used: number; readonly feedForward: number } | null;
  /** Number of tokens, and of merges. */
  readonly vocabulary: number;
  readonly merges: number;
  /** Layers that predict tokens further ahead (multi-token prediction); absent: none. */
  readonly predictingLayers?: number;
}

/** A model and the variant that a request selects. */
export interface ModelSelection {
  readonly model: ModelEntry;
  readonly variant: ModelVariant;
  /** The alias or profile that named it; absent: a name of the model itself. */
  readonly alias?: string;
  /** The models that the alias stands for; the selection is the first that exists. */
  readonly chain?: readonly ChainEntry[];
  /** The same on linked machines. */
  readonly elsewhere?: readonly ModelSelection[];
}

export interface ModelLibrary {
  /** Every readable model, by key; files that can't be read are omitted and logged once. */
  list(): Promise<readonly ModelEntry[]>;

  /**
   * Finds a model by `publisher/name`, by `name` alone if that is unambiguous, each with or without
   * a variant suffix `@q4_k_m`, or by an alias; ignores case.
   *
   * @param scope The models that may be found; all if absent.
   * @throws HearthError `model_not_found`, with the existing keys; `corrupt_file` for a file that
   *   is in the library but can't be read; `forbidden` for a model beyond the scope.
   */
  find(identifier: string, scope?: ModelScope): Promise<ModelSelection>;

  /**
   * Size, modification time and inode of the files of a model, which an engine keeps mapped while it runs. Undefined if
   * one of them can't be read: a mapped file stays usable after its name is gone.
   */
  fingerprint(selection: ModelSelection): Promise<string | undefined>;
}

/** The subject of a removal, for `assertUnused`. */
export interface PlannedRemoval {
  readonly key: string;
  /** `publisher/name` of the folder, lower case, which is the name on the hub. */
  readonly repositoryName: string;
  /** Paths, like `ModelVariant.files`. */
  readonly files: readonly string[];
}

export interface RemovedModel {
  /** `publisher/name`, or `publisher/name@q4_k_m` if one of several variants was removed. */
  readonly name: string;
  /** Freed bytes, without links and files with other hard links. */
  readonly freedBytes: number;
}

export interface EditableModelLibrary extends ModelLibrary {
  /**
   * Removes a model from the disk, or one variant of it if the identifier names one. Also removes models whose files
   * can't be read.
   *
   * @param assertUnused Called right before the removal; an error prevents it.
   * @param scope As for `find`.
   * @throws HearthError `model_not_found`; `conflict` for a model that is not in the library's own folder;
   *   `forbidden`.
   */
  remove(
    identifier: string,
    assertUnused: (removal: PlannedRemoval) => void | Promise<void>,
    scope?: ModelScope,
  ): Promise<RemovedModel>;
}
