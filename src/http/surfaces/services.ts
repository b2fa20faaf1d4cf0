import type { RuntimeManager } from '../../engine/runtimes/runtime.ts';
import type { InstancePool } from '../../instances/pool.ts';
import type { ModelLibrary } from '../../models/model.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Store } from '../../store/store.ts';

/** What the surfaces serve from. */
export interface SurfaceServices {
  readonly library: ModelLibrary;
  readonly pool: InstancePool;
  readonly store: Store;
  readonly runtimes: RuntimeManager;
  readonly logger: Logger;
  /** Largest image, width × height. */
  readonly maxImagePixels: number;
  readonly server: {
    readonly version: string;
    readonly startedAt: Date;
    readonly home: string;
  };
}
