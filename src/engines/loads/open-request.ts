import type { AppliedAdapter, LoadOptions } from './load-options.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Chain } from './chain.ts';
import type { GenerationDefaults } from './settings-record.ts';

/** The resolved model of a request. */
export interface ModelTarget {
  readonly selection: ModelSelection;
  /** Set if the request names an instance by its id. */
  readonly instanceId?: string;
  /** Options of the settings of the model or profile, for loads. */
  readonly load?: LoadOptions;
  /** The values of these settings for requests that have none. */
  readonly defaults?: GenerationDefaults;
  /** Adapters that the request chose; absent: the instance's defaults. */
  readonly adapters?: readonly AppliedAdapter[];
  /** The longest time that the request waits for its place in the queue. */
  readonly maxWaitSeconds?: number;
  /** The other models that the request may use. */
  readonly chain?: Chain;
}

/** Requirements of a session for its instance. */
export interface OpenRequest {
  readonly target: ModelTarget;
  /** Required context length; absent: the default, or the length of an instance loaded by name. */
  readonly contextLength?: number;
  /** New idle time of the instance, unless it was loaded by name or is pinned. */
  readonly ttlSeconds?: number;
  /** Beginning of the prompt, to prefer the instance that has most of it in its cache. */
  readonly promptPrefix?: string;
  /** True if the request waits for a load without a time limit, since its client sees the progress. */
  readonly waitsForLoad?: boolean;
  /** True if the client gets a result at the end, and not the events. */
  readonly isWhole?: boolean;
}
