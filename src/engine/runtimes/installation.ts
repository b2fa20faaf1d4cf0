import type { Logger } from '../../observability/logger.ts';
import type { ProcessGuard } from '../../processes/managed-child.ts';
import type { PinnedRelease, PinnedWheel } from './pinned-release.ts';
import type { RuntimeOrigin } from './runtime-manifest.ts';
import type { InstallProgress } from './runtime.ts';
import type { Backend, Machine } from './target.ts';

/** What both ways to install a runtime need to know. */
export interface InstallationSettings {
  readonly runtimesFolder: string;
  readonly machine: Machine;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly release: PinnedRelease;
  readonly wheel: PinnedWheel;
  /** Folder of the releases, one folder a tag below it. */
  readonly releaseBaseUrl: string;
  readonly retryDelaysMs: readonly number[];
  /** The Python program that starts the server of the wheel. */
  readonly wheelLauncherPath: string;
  readonly logger: Logger;
  /** Kills an installer that runs when this process dies. */
  readonly guard: ProcessGuard | undefined;
}

/** One installation in progress. */
export interface Installation {
  readonly settings: InstallationSettings;
  /** Asked for by the user; chosen by what the machine has where it is absent. */
  readonly backend: Backend | undefined;
  /** Removed at the end, whatever happens. */
  readonly stagingFolder: string;
  /** Folder inside the staging folder that becomes the runtime. */
  readonly contentFolder: string;
  readonly report: (progress: InstallProgress) => void;
  readonly signal: AbortSignal;
}

/** Which runtime an installation is going to give. */
export interface InstallationPlan {
  /** Such as `linux-x64-cpu`. */
  readonly target: string;
  /** llama.cpp build. */
  readonly version: string;
}

/** One of the ways to get a runtime. What it throws says in one line why it is not possible. */
export interface InstallationWay {
  plan(installation: Installation): Promise<InstallationPlan>;
  /** Fills the content folder and makes sure that what it holds can be started. */
  fill(plan: InstallationPlan, installation: Installation): Promise<RuntimeOrigin>;
}
