import type { Backend } from './target.ts';

/** Formats of models that Hearth can install a runtime for. */
export type ModelFormat = 'gguf' | 'mlx';

/** An installed engine binary: its name, version and start command. */
export interface Runtime {
  /** `<engine>-<platform>-<arch>-<backend>`, such as `llama.cpp-linux-x64-cpu`. */
  readonly name: string;
  /** llama.cpp build, such as `b11549`, or version of mlx-lm; `unknown` if the binary does not report it. */
  readonly version: string;
  /** Supported model formats, such as `gguf`. */
  readonly supportedFormats: readonly string[];
  /** Source of the runtime; `wheel`: Python packages. */
  readonly source: 'setting' | 'release' | 'wheel' | 'path';
  /** Executable; `leadingArguments` precede llama-server's own arguments. */
  readonly command: string;
  readonly leadingArguments: readonly string[];
  /** Folder of the runtime, if Hearth installed it and can remove it. */
  readonly folder?: string;
}

/** A runtime with its status in the list of all runtimes. */
export interface ListedRuntime extends Runtime {
  /** True if the user selected this runtime. */
  readonly isSelected: boolean;
  /** True if this version of Hearth recommends this build. */
  readonly isRecommended: boolean;
  /** True if the next load of a model in one of its formats uses it. */
  readonly isActive: boolean;
}

export type InstallProgress =
  | {
      readonly type: 'download.progress';
      readonly receivedBytes: number;
      readonly totalBytes?: number;
    }
  | { readonly type: 'install.step'; readonly message: string };

export interface RuntimeManager {
  /**
   * Lists the usable runtimes, best first: from the setting, selected, recommended, otherwise installed (newest
   * first), from `PATH`. Runtimes for GGUF come before runtimes for MLX.
   */
  list(): Promise<readonly ListedRuntime[]>;

  /** The listed runtimes that Hearth installed; runs no program. */
  installed(): Promise<readonly ListedRuntime[]>;

  /** The preferred runtime for a model format, or undefined if there is none. */
  resolve(format: string): Promise<Runtime | undefined>;

  /**
   * Installs the pinned runtime for a format. For GGUF: the official release, else the PyPI wheel. For MLX: mlx-lm
   * and the packages that it needs, with pip. Concurrent calls share one installation. A failed installation leaves
   * nothing behind.
   *
   * @throws HearthError `runtime_unavailable`, whose message lists the solutions; `invalid_value` for a source or
   *   backend that the format does not have.
   */
  install(options: {
    readonly onProgress?: (progress: InstallProgress) => void;
    readonly signal?: AbortSignal;
    /** Absent: GGUF. */
    readonly format?: ModelFormat;
    /** Absent: tries the release, then the wheel. */
    readonly from?: 'release' | 'wheel';
    /** Absent: the fastest that the machine's graphics driver can run. */
    readonly backend?: Backend;
  }): Promise<Runtime>;

  /**
   * Selects the runtime for later loads of its formats, in all processes that use the folder. Without a version,
   * selects the most recently installed runtime with this name. Null clears the selection.
   *
   * @returns False if there is no such runtime.
   */
  select(name: string | null, version?: string): Promise<boolean>;

  /** Removes an installed runtime by name and version; false if there is none. */
  remove(name: string, version?: string): Promise<boolean>;
}
