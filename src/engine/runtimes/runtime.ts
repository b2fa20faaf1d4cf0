import type { Backend } from './target.ts';

/** An installed engine binary: how to start it and what it calls itself. */
export interface Runtime {
  /** `llama.cpp-<platform>-<arch>-<backend>`, such as `llama.cpp-linux-x64-cpu`. */
  readonly name: string;
  /** llama.cpp build, such as `b11549`; `unknown` where a binary does not say. */
  readonly version: string;
  /** Model formats it runs, such as `gguf`. */
  readonly supportedFormats: readonly string[];
  /** Where it came from. */
  readonly source: 'setting' | 'release' | 'wheel' | 'path';
  /** Executable and the arguments that come before llama-server's own. */
  readonly command: string;
  readonly leadingArguments: readonly string[];
  /** Folder that holds it, where Hearth installed it; it can be removed then. */
  readonly folder?: string;
}

export type InstallProgress =
  | {
      readonly type: 'download.progress';
      readonly receivedBytes: number;
      readonly totalBytes?: number;
    }
  | { readonly type: 'install.step'; readonly message: string };

export interface RuntimeManager {
  /** All that can be started, best first: the setting, installed ones (newest first), `PATH`. */
  list(): Promise<readonly Runtime[]>;

  /** The one to use for a model format, or undefined where there is none. */
  resolve(format: string): Promise<Runtime | undefined>;

  /**
   * Installs the pinned runtime: the official release, else the PyPI wheel. Concurrent calls share one
   * installation. Nothing half-installed is left behind.
   *
   * @throws HearthError `runtime_unavailable`, whose message says the three ways out.
   */
  install(options: {
    readonly onProgress?: (progress: InstallProgress) => void;
    readonly signal?: AbortSignal;
    /** Leave out to try the release first and the wheel next. */
    readonly from?: 'release' | 'wheel';
    /** Leave out to take the fastest that the machine's graphics driver can run. */
    readonly backend?: Backend;
  }): Promise<Runtime>;

  /** Removes an installed runtime by name and version; false where there is none. */
  remove(name: string, version?: string): Promise<boolean>;
}
