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
  /** Its source; `wheel`: packages of Python. */
  readonly source: 'setting' | 'release' | 'wheel' | 'path';
  /** Executable, and the arguments before llama-server's own. */
  readonly command: string;
  readonly leadingArguments: readonly string[];
  /** Its folder, if Hearth installed it and can remove it. */
  readonly folder?: string;
}

/** A runtime among the others. */
export interface ListedRuntime extends Runtime {
  /** True if `select` chose it. */
  readonly isSelected: boolean;
  /** True if it is a build that this version of Hearth names. */
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
   * Lists the usable runtimes, best first: from the setting, selected, recommended, otherwise installed (newest first),
   * from `PATH`; those for GGUF before those for MLX.
   */
  list(): Promise<readonly ListedRuntime[]>;

  /** The listed runtimes that Hearth installed; runs no program. */
  installed(): Promise<readonly ListedRuntime[]>;

  /** The preferred runtime for a model format, or undefined if there is none. */
  resolve(format: string): Promise<Runtime | undefined>;

  /**
   * Installs the pinned runtime for a format. For GGUF: the official release, else the PyPI wheel; for MLX: mlx-lm and
   * the packages that it needs, with pip. Concurrent calls share one installation. A failed one leaves nothing behind.
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
   * Selects the installed runtime of the next loads of its formats, in all processes that use the folder. Without a
   * version, the most recently installed one of the name; null selects none.
   *
   * @returns false if there is no such runtime.
   */
  select(name: string | null, version?: string): Promise<boolean>;

  /** Removes an installed runtime by name and version; false if there is none. */
  remove(name: string, version?: string): Promise<boolean>;
}
