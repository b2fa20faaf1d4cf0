import type { Logger } from '../../observability/logger.ts';
import type { ProcessGuard } from '../../processes/managed-child.ts';
import type { PinnedRelease, PinnedWheel } from './pinned-release.ts';
import type { RuntimeOrigin } from './runtime-manifest.ts';
import type { InstallProgress } from './runtime.ts';
import type { Backend, Machine } from './target.ts';

/** Settings of both ways to install a runtime. */
export interface InstallationSettings {
  readonly runtimesFolder: string;
  readonly machine: Machine;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly release: PinnedRelease;
  readonly wheel: PinnedWheel;
  /** URL of the releases, with one folder per tag. */
  readonly releaseBaseUrl: string;
  readonly retryDelaysMs: readonly number[];
  /** Path of the Python script that starts the wheel's server. */
  readonly wheelLauncherPath: string;
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
export interface InstallationPlan {
  /** Such as `linux-x64-cpu`. */
  readonly target: string;
  /** llama.cpp build. */
  readonly version: string;
}

/** A source of runtimes. Its errors explain in one line why it can't be used. */
export interface InstallationWay {
  plan(installation: Installation): Promise<InstallationPlan>;
  /** Fills the content folder and checks that its server starts. */
  fill(plan: InstallationPlan, installation: Installation): Promise<RuntimeOrigin>;
}
