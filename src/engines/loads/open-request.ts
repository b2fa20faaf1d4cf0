import type { AppliedAdapter, LoadOptions } from './load-options.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Chain } from './chain.ts';
import type { GenerationDefaults } from './settings-record.ts';

/** The resolved model of a request. */
export interface ModelTarget {
  readonly selection: ModelSelection;
  /** Set if the request names an instance by its id. */
  readonly instanceId?: string;
  /** Load options from the settings of the model or profile. */
  readonly load?: LoadOptions;
  /** Defaults from these settings for fields that the request does not set. */
  readonly defaults?: GenerationDefaults;
  /** Adapters that the request chose; absent: the instance's defaults. */
  readonly adapters?: readonly AppliedAdapter[];
  /** Maximum time that the request waits for its place in the queue. */
  readonly maxWaitSeconds?: number;
  /** The other models that the request may use. */
  readonly chain?: Chain;
}

/** The model of a session, and requirements for its instance. */
export interface OpenRequest {
  readonly target: ModelTarget;
  /** Required context length; absent: the length of an instance loaded by name, else the default. */
  readonly contextLength?: number;
  /** New idle time of the instance, unless it was loaded by name or is pinned. */
  readonly ttlSeconds?: number;
  /** Beginning of the prompt, to find the instance that has most of it in its cache. */
  readonly promptPrefix?: string;
  /** True if the request waits for a load without a time limit, since the client sees the load's progress. */
  readonly waitsForLoad?: boolean;
  /** True if the client gets only the whole result, not the events. */
  readonly isWhole?: boolean;
}
