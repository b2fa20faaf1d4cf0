import type { TokenService } from '../../access/token-service.ts';
import type { BackgroundTurns } from '../../background/background-turns.ts';
import type { DownloadManager } from '../../downloads/downloads.ts';
import type { RuntimeManager } from '../../engine/runtimes/runtime.ts';
import type { Hub } from '../../hub/hub.ts';
import type { InstancePool } from '../../instances/pool.ts';
import type { ModelAliases } from '../../models/model-aliases.ts';
import type { EditableModelLibrary } from '../../models/model.ts';
import type { EventFeed } from '../event-feed.ts';
import type { LogHistory } from '../../observability/log-history.ts';
import type { Logger } from '../../observability/logger.ts';
import type { RequestLog } from '../../observability/request-log.ts';
import type { ServerEvents } from '../../observability/server-events.ts';
import type { Store } from '../../store/store.ts';
import type { ToolServers } from '../../tools/toolbox.ts';

/** The parts of the server that surfaces use. */
export interface SurfaceServices {
  readonly library: EditableModelLibrary;
  /** Other names of the models. */
  readonly aliases: ModelAliases;
  readonly pool: InstancePool;
  readonly downloads: DownloadManager;
  readonly hub: Hub;
  /** Base URL of the hub's repositories. */
  readonly hubEndpoint: string;
  readonly store: Store;
  readonly tokens: TokenService;
  readonly tools: ToolServers;
  readonly background: BackgroundTurns;
  readonly maxToolRounds: number;
  readonly runtimes: RuntimeManager;
  readonly logger: Logger;
  readonly events: ServerEvents;
  readonly logHistory: LogHistory;
  readonly requestLog: RequestLog;
  /** The events of `GET /api/v1/events`. */
  readonly feed: EventFeed;
  /** Largest image, width × height. */
  readonly maxImagePixels: number;
  readonly server: {
    readonly version: string;
    readonly pid: number;
    readonly startedAt: Date;
    readonly home: string;
    /** Memory of the server process itself. */
    readonly residentBytes: () => number;
  };
}
