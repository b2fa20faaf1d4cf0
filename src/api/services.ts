import type { Authenticator } from '../access/authenticator.ts';
import type { SessionService } from '../access/session-service.ts';
import type { TokenService } from '../access/token-service.ts';
import type { UsageRecorder } from '../access/usage-recorder.ts';
import type { BackgroundTurns } from '../chat/background/background-turns.ts';
import type { Batches } from '../chat/batches/batches.ts';
import type { WaitingCalls } from '../chat/waiting-calls.ts';
import type { FetchImage } from '../chat/message-media.ts';
import type { AudioReader } from '../chat/audio/audio-reader.ts';
import type { DocumentReader } from '../chat/documents/read/document-reader.ts';
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
import type { LogHistory } from '../telemetry/log-output.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Caller } from '../kernel/request/request-context.ts';
import type { RequestLog } from '../telemetry/request-log.ts';
import type { ServerEvents } from '../kernel/events/server-events.ts';
import type { SpeechServer } from '../engines/backends/remote/speech-server.ts';
import type { LeaseKeeper } from '../store/shared/lease-keeper.ts';
import type { Store } from '../store/store.ts';
import type { PluginFileEditor } from '../tools/plugin-file-editor.ts';
import type { TriableToolServers } from '../tools/toolbox.ts';
import type { ProjectFiles } from '../chat/documents/search/project-files.ts';
import type { VectorStores } from '../chat/documents/search/vector-stores.ts';

/** The parts of the server that APIs use. */
export interface ApiServices {
  /** The library, restricted to the models that a caller may use. */
  readonly libraryFor: (
    caller: Pick<Caller, 'modelScope'>,
  ) => EditableModelLibrary & AdapterLibrary;
  /** The library's own folder, to which models are downloaded. */
  readonly modelsFolder: string;
  /** Id of the home folder. */
  readonly homeId: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Other names of the models. */
  readonly aliases: ModelAliases;
  readonly pool: Engines;
  readonly modelSettings: ModelSettings;
  /** Minimum length to which an embedding model's vectors may be truncated; undefined if they can't be. */
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
    /** Labels of the plugins that are built in. */
    readonly builtIn: readonly string[];
  };
  readonly documents: DocumentReader;
  readonly waitingCalls: WaitingCalls;
  readonly background: BackgroundTurns;
  /** Locks that are shared by all servers of the database. */
  readonly leases: LeaseKeeper;
  readonly batches: Batches;
  readonly vectorStores: VectorStores;
  readonly projectFiles: ProjectFiles;
  readonly settings: {
    readonly editor: SettingsEditor;
    readonly live: LiveSettings;
    /** Throws a `SettingsError` if the server could not start with these settings. */
    readonly check: (settings: Settings) => void;
  };
  readonly runtimes: RuntimeManager;
  readonly logger: Logger;
  readonly events: ServerEvents;
  readonly logHistory: LogHistory;
  readonly requestLog: RequestLog;
  /** The event feed of `GET /api/v1/events`. */
  readonly feed: EventFeed;
  /** Maximum number of pixels of an image, width × height. */
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
    /** Base URL of links for the user, without a slash at the end. */
    readonly linkUrl: () => string;
    /** Base URL of links for other devices. @throws HearthError `network_unreachable`. */
    readonly networkUrl: () => string;
    /** Prefix of every path of the server, such as `/hearth`; may be empty. */
    readonly pathPrefix: string;
    /** Resident memory of the server process itself. */
    readonly residentBytes: () => number;
    /** Starts a graceful stop, which waits for the requests in flight. Returns at once. */
    readonly stop: () => void;
  };
}
