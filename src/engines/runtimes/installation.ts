import type { Logger } from '../../kernel/logger.ts';
import type { ProcessGuard } from '../../platform/processes/managed-child.ts';
import type { PinnedRelease, PinnedWheel } from './pinned-release.ts';
import type { PythonLaunchers, RuntimeOrigin } from './runtime-manifest.ts';
import type { InstallProgress, ModelFormat } from './runtime.ts';
import type { Backend, EngineName, Machine } from './target.ts';

/** Settings of all ways to install a runtime. */
export interface InstallationSettings {
  readonly runtimesFolder: string;
  readonly machine: Machine;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly release: PinnedRelease;
  readonly wheel: PinnedWheel;
  readonly mlx: PinnedMlx;
  /** URL of the releases, with one folder per tag. */
  readonly releaseBaseUrl: string;
  readonly retryDelaysMs: readonly number[];
  readonly launchers: PythonLaunchers;
  readonly logger: Logger;
  /** Kills running installers when this process dies. */
  readonly guard: ProcessGuard | undefined;
}

/** One installation in progress. */
export interface Installation {
  readonly settings: InstallationSettings;
  /** Requested by the user; absent: chosen for the hardware. */
  readonly backend: Backend | undefined;
  /** Always removed at the end. */
  readonly stagingFolder: string;
  /** Folder inside the staging folder that becomes the runtime. */
  readonly contentFolder: string;
  readonly report: (progress: InstallProgress) => void;
  readonly signal: AbortSignal;
}

/** The runtime that an installation will produce. */
interface InstallationPlan {
  /** Target, such as `linux-x64-cpu`. */
  readonly target: string;
  /** llama.cpp build, or version of mlx-lm. */
  readonly version: string;
}

/** A way to install a runtime. Its errors explain in one line why it can't be used. */
export interface InstallationWay {
  readonly engine: EngineName;
  readonly format: ModelFormat;
  plan(installation: Installation): Promise<InstallationPlan>;
  /** Fills the content folder and checks that its server starts. */
  fill(plan: InstallationPlan, installation: Installation): Promise<RuntimeOrigin>;
}

/** The packages that run MLX models; `mlx-requirements.txt` beside the launcher has their hashes. */
export interface PinnedMlx {
  /** Version of mlx-lm. */
  readonly version: string;
  /** Minimum minor version of Python 3. */
  readonly minimumPythonMinor: number;
  /** Machines for which all packages have wheels. */
  readonly targets: readonly string[];
}

export const pinnedMlx: PinnedMlx = {
  version: '0.32.2',
  minimumPythonMinor: 11,
  targets: ['macos-arm64-metal', 'linux-x64-cpu', 'linux-arm64-cpu'],
};
