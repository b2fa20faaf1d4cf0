import type { Authenticator } from '../access/authenticator.ts';
import type { SessionService } from '../access/session-service.ts';
import type { TokenService } from '../access/token-service.ts';
import type { UsageRecorder } from '../access/usage-recorder.ts';
import type { BackgroundTurns } from '../chat/background/background-turns.ts';
import type { Batches } from '../chat/batches/batches.ts';
import type { WaitingCalls } from '../chat/waiting-calls.ts';
import type { FetchImage } from '../chat/message-media.ts';
import type { AudioReader } from '../speech/audio/audio-reader.ts';
import type { DocumentReader } from '../documents/read/document-reader.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import type { SettingsEditor } from '../settings/settings-editor.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { DownloadManager } from '../library/downloads/downloads.ts';
import type { RuntimeManager } from '../engines/runtimes/runtime.ts';
import type { CatalogSource } from '../library/hub/catalog-source.ts';
import type { Catalog } from '../library/hub/catalog.ts';
import type { Hub } from '../library/hub/hub.ts';
import type { Engines } from '../engines/engines.ts';
import type { ModelSettings } from '../engines/loads/model-settings.ts';
import type { ModelAliases } from '../library/model-aliases.ts';
import type { AdapterLibrary } from '../library/adapter.ts';
import type { EditableModelLibrary } from '../library/model.ts';
import type { Links } from '../access/links/links.ts';
import type { EventFeed } from './kit/stream/event-feed.ts';
import type { LogHistory } from '../telemetry/log-history.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Caller } from '../telemetry/request-context.ts';
import type { RequestLog } from '../telemetry/request-log.ts';
import type { ServerEvents } from '../telemetry/server-events.ts';
import type { SpeechServer } from '../speech/speech-server.ts';
import type { LeaseKeeper } from '../store/shared/lease-keeper.ts';
import type { Store } from '../store/store.ts';
import type { PluginFileEditor } from '../tools/plugin-file-editor.ts';
import type { TriableToolServers } from '../tools/toolbox.ts';
import type { ProjectFiles } from '../documents/search/project-files.ts';
import type { VectorStores } from '../documents/search/vector-stores.ts';

/** The parts of the server that APIs use. */
export interface ApiServices {
  /** The models that a caller may use. */
  readonly libraryFor: (
    caller: Pick<Caller, 'modelScope'>,
  ) => EditableModelLibrary & AdapterLibrary;
  /** The library's own folder. */
  readonly modelsFolder: string;
  /** Id of the home folder. */
  readonly homeId: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Other names of the models. */
  readonly aliases: ModelAliases;
  readonly pool: Engines;
  readonly modelSettings: ModelSettings;
  /** The smallest length that the vectors of an embedding model may be cut to; undefined: they can't be cut. */
  readonly minDimensions: (modelKey: string) => number | undefined;
  readonly downloads: DownloadManager;
  readonly hub: Hub;
  readonly catalog: Catalog;
  readonly catalogSource: CatalogSource;
  readonly modelScopeHub: Hub;
  readonly store: Store;
  readonly tokens: TokenService;
  readonly sessions: SessionService;
  readonly usage: UsageRecorder;
  readonly authenticator: Authenticator;
  readonly links: Links;
  readonly tools: TriableToolServers;
  readonly plugins: {
    readonly file: PluginFileEditor;
    /** Labels of the plugins that are part of Hearth. */
    readonly builtIn: readonly string[];
    /** True if requests may use plugins. */
    readonly isAllowed: boolean;
  };
  readonly documents: DocumentReader;
  readonly waitingCalls: WaitingCalls;
  readonly background: BackgroundTurns;
  /** Locks that all servers of the database share. */
  readonly leases: LeaseKeeper;
  readonly batches: Batches;
  readonly vectorStores: VectorStores;
  readonly projectFiles: ProjectFiles;
  readonly maxToolRounds: number;
  readonly settings: {
    readonly editor: SettingsEditor;
    readonly live: LiveSettings;
    /** Throws a `SettingsError` for settings that this server could not start with. */
    readonly check: (settings: Settings) => void;
  };
  readonly runtimes: RuntimeManager;
  readonly logger: Logger;
  readonly events: ServerEvents;
  readonly logHistory: LogHistory;
  readonly requestLog: RequestLog;
  /** The events of `GET /api/v1/events`. */
  readonly feed: EventFeed;
  /** Largest image, width × height. */
  readonly maxImagePixels: number;
  readonly fetchImage: FetchImage;
  readonly audio: AudioReader;
  /** Absent if the settings have no text-to-speech server. */
  readonly speech: SpeechServer | undefined;
  readonly server: {
    readonly version: string;
    readonly pid: number;
    readonly startedAt: Date;
    readonly home: string;
    /** True if every request needs a token. */
    readonly isTokenRequired: boolean;
    /** Base URL of links for people, without a slash at the end. */
    readonly linkUrl: () => string;
    /** The same for other devices. Throws a HearthError `network_unreachable`. */
    readonly networkUrl: () => string;
    /** Path before every path of the server, such as `/hearth`, or an empty text. */
    readonly pathPrefix: string;
    /** Memory of the server process itself. */
    readonly residentBytes: () => number;
    /** Begins an orderly stop, which waits for the requests in flight; does not wait for its end. */
    readonly stop: () => void;
  };
}
