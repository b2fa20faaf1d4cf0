import { rm } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createAccess } from './create-access.ts';
import { createBatches, startBatches } from './create-batches.ts';
import { AudioReader } from '../chat/audio/audio-reader.ts';
import { createDocuments } from './create-documents.ts';
import { createDownloads } from './create-downloads.ts';
import { openLibrary, openModelsFolder } from './create-library.ts';
import { createPool } from './create-pool.ts';
import { createShutdown } from './create-shutdown.ts';
import { assertDistinctNames, createUpstreams } from './create-upstreams.ts';
import { createLinks, startLinks } from './create-links.ts';
import { networkUrl } from './network-url.ts';
import { openDatabase } from './open-database.ts';
import { openListeners } from './open-listeners.ts';
import { careForStore, createBackground } from './share-store.ts';
import { createAliasSource } from '../settings/alias-source.ts';
import { assertStartable } from '../settings/assert-startable.ts';
import { createLiveSettings } from '../settings/live-settings.ts';
import { createSettingsEditor } from '../settings/settings-editor.ts';
import { resolveSettings } from '../settings/settings.ts';
import type { SettingKey, Settings } from '../settings/settings-table.ts';
import { createEngineLauncher } from '../engines/launch/engine-launcher.ts';
import { keepRecommended } from '../engines/runtimes/keep-recommended.ts';
import type { InstallProgress } from '../engines/runtimes/runtime.ts';
import { openRuntimes } from './open-runtimes.ts';
import { ensureHomeId } from '../platform/home/home-id.ts';
import { acquireHomeLock } from '../platform/home/home-lock.ts';
import { announceServer } from '../platform/home/announce-server.ts';
import { serverLogFile } from '../platform/home/server-log-file.ts';
import { createApp } from './app.ts';
import { JsonParser } from '../api/kit/body/json-body.ts';
import { servedApis } from '../api/apis.ts';
import type { ApiServices } from '../api/services.ts';
import { createEventFeed } from '../api/v1/server/create-event-feed.ts';
import { toInstanceMetrics, toReplicaMetrics } from './engine-metrics.ts';
import { preloadModels } from '../engines/loads/preload-models.ts';
import { libraryWithin } from '../library/library.ts';
import { createModelAliases } from '../library/model-aliases.ts';
import { readAvailableMemory } from '../platform/machine/read-machine.ts';
import { WaitingCalls } from '../chat/waiting-calls.ts';
import { createImageFetcher } from '../platform/net/image-fetcher.ts';
import { readProxies } from '../platform/net/proxy-environment.ts';
import { createObservability } from '../telemetry/create-observability.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { createServerLog } from '../telemetry/create-server-log.ts';
import { packageFolder } from '../platform/files/package-folder.ts';
import { createServiceNotifier } from '../platform/processes/service-notifier.ts';
import { createWatchdogLink } from '../platform/processes/watchdog-link.ts';
import { logUnlisted, startIndexing } from '../store/maintenance.ts';
import { createPluginFileEditor } from '../tools/plugin-file-editor.ts';
import { withDeletionListener } from '../store/with-deletion-listener.ts';
import { speechScriptPlugin } from '../tools/speech-script-plugin.ts';
import { createToolServers } from '../tools/tool-servers.ts';
import { version } from '../kernel/version.ts';
import { pathOf } from './web/public-path.ts';
import { isWanted } from './is-wanted.ts';
import { openStateCache } from '../engines/states/state-cache.ts';

export interface ServeOptions {
  /** Folder for settings, database, models and runtimes; created if it does not exist. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly flags?: Partial<Record<SettingKey, unknown>>;
  /** True allows other hosts than loopback even if no token is required. */
  readonly allowUnauthenticated?: boolean;
  /** Folder in which all users of the machine find the `server.json` of a system service. */
  readonly recordFolder?: string | undefined;
  /** Absolute path of a file for the log, instead of stderr; its folder must exist. */
  readonly logFile?: string | undefined;
  /** Writes the log as readable lines instead of JSON. */
  readonly isLogForTerminal?: boolean;
  /** Called with the progress of long work that no request started, such as a runtime download. */
  readonly onProgress?: (
    event:
      | { readonly type: 'runtime.install'; readonly progress: InstallProgress }
      /** An older database is being migrated; the fraction is 0 to 1. */
      | { readonly type: 'store.migration'; readonly fraction: number },
  ) => void;
}

export interface RunningServer {
  readonly url: string;
  /** Settles when the server has stopped, because of `close` or a request of the home folder's owner. */
  readonly closed: Promise<void>;
  /** Stops accepting requests, waits for running ones, and releases all resources. */
  close(): Promise<void>;
}

/**
 * Creates all components and starts listening.
 *
 * @throws SettingsError, HomeInUseError, StoreOpenError; Error if the address can't be bound.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { home, environment, recordFolder, onProgress } = options;
  const sources = { home, environment, flags: options.flags ?? {} };
  const resolved = await resolveSettings(sources);
  const live = createLiveSettings(resolved.settings);
  // Live settings are read from it at each use.
  const settings = live.current;
  const check = (each: Settings) =>
    assertStartable(each, { isUnauthenticatedAllowed: options.allowUnauthenticated ?? false });
  check(settings);
  const { logger, history: logHistory } = createServerLog({
    settings,
    environment,
    file: options.logFile ?? serverLogFile(home),
    isOpened: options.logFile === undefined,
    isForTerminal: options.isLogForTerminal ?? false,
  });
  const { cleanups, undo, stop, stopped } = createShutdown(logger);
  const stopping = new AbortController();
  cleanups.push(() => stopping.abort());
  for (const warning of resolved.warnings) logger.warn(warning);
  for (const { variable, reason } of readProxies(environment).problems) {
    logger.warn({ variable }, `${variable} ${reason}; requests through it fail`);
  }
  try {
    const notifier = createServiceNotifier({ environment, logger });
    cleanups.push(() => notifier.close());
    const lock = await acquireHomeLock(home);
    cleanups.push(() => lock.release());
    const homeId = await ensureHomeId(home);
    const observability = await createObservability({ logger, version, environment, settings });
    cleanups.push(() => observability.close());
    const { events, requestLog, observation } = observability;

    const database = await openDatabase(settings, {
      home,
      homeId,
      environment,
      logger,
      onMigration: (fraction) => onProgress?.({ type: 'store.migration', fraction }),
      cleanups,
    });
    if (settings['auth.required']) await logUnlisted(database.owners, logger);
    const stateCache = await openStateCache({
      isEnabled: settings['warm.maxBytes'] > 0,
      persistsStateless: false,
      // Idle time after which an instance's states are saved.
      idleMs: 5000,
      home,
      maxBytes: settings['warm.maxBytes'],
      isolatesTokens: settings['auth.required'],
      isWanted: (prompt) => isWanted(database, prompt),
      availableBytes: () => readAvailableMemory().bytes,
      logger,
    });
    cleanups.push(() => stateCache?.close());
    const store = withDeletionListener(database, async () => stateCache?.removeUnwanted());
    const { leases, usage, rateGate } = careForStore(settings, {
      store,
      events,
      logger,
      homeId,
      onDeletion: async () => stateCache?.removeUnwanted(),
      cleanups,
    });

    const modelsFolder = await openModelsFolder(settings, { home, homeId });
    const aliases = createModelAliases(
      createAliasSource(sources, (err) =>
        logger.warn({ err }, 'config.json is invalid; the aliases stay unchanged'),
      ),
    );
    await aliases.list();
    const remote = { home, environment, logger, cleanups };
    const { upstreams, speech } = await createUpstreams(settings, remote);
    const { library, modelSettings } = await openLibrary(settings, {
      home,
      aliases,
      upstreams,
      logger,
      signal: stopping.signal,
    });
    await assertDistinctNames(upstreams, library);
    const watchdog = createWatchdogLink(join(packageFolder, 'dist/watchdog.js'), logger);
    cleanups.push(() => watchdog.close());
    const runtimes = openRuntimes(settings, home, { environment, guard: watchdog, logger });
    if (settings['engine.llamaServer'] === undefined) {
      void keepRecommended({ runtimes, logger, signal: stopping.signal });
    }
    const socketFolder = join(home, 'run');
    // A killed server may have left its sockets.
    await rm(socketFolder, { recursive: true, force: true });
    const launcher = createEngineLauncher({
      logger,
      socketFolder,
      watchdog,
      environment,
      availableBytes: () => readAvailableMemory().bytes,
      extraVariables: settings['engine.environment'],
      spareBytes: () => Math.min(settings['models.memoryLimitBytes'] ?? Infinity, maxSpareBytes),
    });
    cleanups.push(() => launcher.close());

    const pool = createPool(live, {
      library,
      modelSettings,
      templateFolder: join(socketFolder, 'templates'),
      runtimes,
      launcher,
      stateCache,
      upstreams,
      logger,
      events,
      environment,
      onInstallProgress: (progress) => onProgress?.({ type: 'runtime.install', progress }),
    });
    cleanups.push(() => pool.close());
    void preloadModels({
      pool,
      models: settings['models.preload'],
      pinned: modelSettings.pinned(),
      logger,
      signal: stopping.signal,
    });

    const { catalog, catalogSource, hub, modelScopeHub, downloads } = await createDownloads(
      settings,
      {
        home,
        environment,
        modelsFolder,
        store: store.downloads,
        library,
        logger,
        events,
        signal: stopping.signal,
        cleanups,
      },
    );

    const background = createBackground({ store, leases, logger });
    cleanups.push(() => background.close());

    const json = new JsonParser(join(packageFolder, 'dist/json-thread.js'));
    cleanups.push(() => json.close());
    const minDimensions = (key: string) => catalog.findKey(key)?.minDimensions;
    const search = { store, library, pool, minDimensions, leases, logger };
    const { indexer, ...documents } = createDocuments(search);
    const tools = createToolServers({
      settings,
      home,
      environment,
      builtInPlugins,
      fileSearch: documents.vectorStores,
      guard: watchdog,
    });
    cleanups.push(() => tools.close());
    const batches = createBatches(settings, { store, homeId, logger, parseJson: json.parse });

    const metrics = observability.createMetrics({
      instances: async () => (await pool.describe()).map(toInstanceMetrics),
      memory: () => pool.memory(),
      replicas: () => toReplicaMetrics(upstreams),
      folders: { home, models: modelsFolder },
    });
    const feed = createEventFeed({ events, requestLog, downloads, library, logger });
    const access = createAccess({ store, logger, cleanups });
    const { tokens, sessions, authenticator, revocationChecker, ownerToken } = access;
    let url = '';
    const links = await createLinks({ home, settings, upstreams, tokens, store, pool, logger });
    const startedAt = new Date();
    const services: ApiServices = {
      libraryFor: ({ modelScope }) => libraryWithin(modelScope, library),
      modelsFolder,
      homeId,
      environment,
      aliases,
      pool,
      modelSettings,
      minDimensions,
      downloads,
      hub,
      catalog,
      catalogSource,
      modelScopeHub,
      store,
      tokens,
      sessions,
      usage,
      authenticator,
      links,
      tools,
      plugins: {
        file: createPluginFileEditor(join(home, 'mcp.json')),
        builtIn: builtInPlugins.map(({ label }) => label),
      },
      ...documents,
      waitingCalls: new WaitingCalls({ approvals: store.toolApprovals }),
      background,
      leases,
      batches,
      settings: { editor: createSettingsEditor(sources), live, check },
      runtimes,
      logger,
      events,
      logHistory,
      requestLog,
      feed,
      maxImagePixels: 40_000_000,
      speech,
      audio: new AudioReader(join(packageFolder, 'dist/audio-thread.js')),
      fetchImage: createImageFetcher({ hosts: () => settings['images.urlHosts'] }),
      server: {
        version,
        pid: process.pid,
        startedAt,
        home,
        isTokenRequired: settings['auth.required'],
        linkUrl: () => settings['server.publicUrl']?.replace(/\/$/, '') ?? url,
        networkUrl: () => networkUrl({ settings, url, interfaces: networkInterfaces() }),
        pathPrefix: pathOf(settings['server.publicUrl']),
        residentBytes: () => process.memoryUsage.rss(),
        stop: () => void stop(),
      },
    };
    const app = createApp({
      settings,
      authenticator,
      logger,
      version,
      docsFolder: join(packageFolder, 'dist/docs'),
      webFolder: join(packageFolder, 'dist/web'),
      homeId,
      ping: () => store.ping(),
      parseJson: json.parse,
      metrics,
      observation,
      revocationChecker,
      rateGate,
      apis: servedApis(services, settings),
    });
    const listeners = await openListeners({ app, settings, logger });
    // Both ports end their requests at the same time.
    cleanups.push(() => Promise.all([listeners.close(), links.close()]));
    url = listeners.url;
    await startLinks(links, { app, settings, logger });

    cleanups.push(
      await startBatches({ batches, indexer }, settings, { app, tokens: store.tokens }),
    );
    // Ends endless streams, which would delay the stop.
    cleanups.push(() => feed.close());
    const announceAgain = await announceServer({
      home,
      recordFolder,
      ownerToken,
      record: () => ({
        pid: process.pid,
        url,
        version,
        started_at: startedAt.toISOString(),
        ...(settings['auth.required'] ? { requires_token: true } : {}),
        ...omitUndefined({ certificate_sha256: listeners.fingerprint }),
      }),
      cleanups,
      onShareError: (err) =>
        logger.warn({ err }, 'other users do not find the server: no record for them'),
    });
    listeners.onNewCertificate(announceAgain);
    // Stopped before the records are removed, since a new certificate would write them again.
    cleanups.push(() => listeners.stopRenewal());
    const indexing = startIndexing({ store, logger });
    cleanups.push(() => indexing.close());
    logger.info({ url, version }, 'listening');
    await notifier.ready(`Listening on ${url}`);
    cleanups.push(() => void notifier.stopping());
    return { url, closed: stopped, close: stop };
  } catch (error) {
    await undo();
    throw error;
  }
}
/** Maximum memory of an engine beyond its cached prompts and twice its estimate; the settings may allow less. */
const maxSpareBytes = 4 * 1024 ** 3;
const builtInPlugins = [speechScriptPlugin];
