import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { generateOwnerToken, withOwnerToken } from './access/owner-token.ts';
import { createSessionService } from './access/session-service.ts';
import { createTokenService } from './access/token-service.ts';
import { withSessions } from './access/with-sessions.ts';
import { BackgroundTurns } from './background/background-turns.ts';
import { createAliasSource } from './config/alias-source.ts';
import { assertStartable } from './config/assert-startable.ts';
import { createLiveSettings } from './config/live-settings.ts';
import { createSettingsEditor } from './config/settings-editor.ts';
import { resolveSettings } from './config/settings.ts';
import type { SettingKey, Settings } from './config/settings-table.ts';
import { createDownloadManager } from './downloads/download-manager.ts';
import { planDownload } from './downloads/plan-download.ts';
import { createEngineLauncher } from './engine/launch/engine-launcher.ts';
import type { InstallProgress } from './engine/runtimes/runtime.ts';
import { createRuntimeManager } from './engine/runtimes/runtime-manager.ts';
import { ensureHomeId } from './home/home-id.ts';
import { acquireHomeLock } from './home/home-lock.ts';
import { removeOwnerToken, writeOwnerToken } from './home/owner-token.ts';
import { removeServerRecord, writeServerRecord, type ServerRecord } from './home/server-record.ts';
import { createApp } from './http/app.ts';
import { listen } from './http/server.ts';
import type { Surface } from './http/surface.ts';
import type { SurfaceServices } from './http/surfaces/services.ts';
import { createAnthropicSurface } from './http/surfaces/anthropic/surface.ts';
import { createOllamaSurface } from './http/surfaces/ollama/surface.ts';
import { createOpenAiSurface } from './http/surfaces/openai/surface.ts';
import { createV0Surface } from './http/surfaces/v0/surface.ts';
import { createEventFeed } from './http/surfaces/v1/create-event-feed.ts';
import { createV1Surface } from './http/surfaces/v1/surface.ts';
import { createHub } from './hub/create-hub.ts';
import { hubEgressPolicy } from './hub/hub-endpoint.ts';
import { GgufLoader } from './instances/gguf-loader.ts';
import { toInstanceMetrics } from './instances/instance-metrics.ts';
import { InstancePool } from './instances/pool.ts';
import { preloadModels } from './instances/preload-models.ts';
import { createModelAliases } from './models/model-aliases.ts';
import { readAvailableMemory, readTotalMemory } from './machine/read-machine.ts';
import { createModelLibrary } from './models/library.ts';
import type { ModelRoot } from './models/scan-repository.ts';
import { createHttpClient } from './net/http-client.ts';
import { createLogger, textDestination } from './observability/logger.ts';
import { RequestLog } from './observability/request-log.ts';
import { ServerEvents } from './observability/server-events.ts';
import { packageFolder } from './package-folder.ts';
import { createServiceNotifier } from './processes/service-notifier.ts';
import { createWatchdogLink } from './processes/watchdog-link.ts';
import { createSqliteStore } from './store/sqlite-store.ts';
import { withDeletionListener } from './store/with-deletion-listener.ts';
import { createPluginFileEditor } from './tools/plugin-file-editor.ts';
import { speechScriptPlugin } from './tools/speech-script-plugin.ts';
import { createToolServers } from './tools/tool-servers.ts';
import { version } from './version.ts';
import { isWanted } from './warm-state/is-wanted.ts';
import { openWarmStates } from './warm-state/warm-states.ts';

/** The APIs of the server, in addition to its own endpoints. */
export const surfaces: readonly ((services: SurfaceServices) => Surface)[] = [
  createV0Surface,
  createV1Surface,
  createOpenAiSurface,
  createAnthropicSurface,
  createOllamaSurface,
];

export interface ServeOptions {
  /** Folder of settings, database, models and runtimes; created if it does not exist. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly flags?: Partial<Record<SettingKey, unknown>>;
  /** Allows a host that is not loopback although tokens are not required. */
  readonly allowUnauthenticated?: boolean;
  /** Folder in which all users of the machine find the `server.json` of a system service. */
  readonly recordFolder?: string | undefined;
  /** Writes the log as readable lines instead of JSON. */
  readonly isLogForTerminal?: boolean;
  /** Called with the progress of long work that no request named, such as a runtime download. */
  readonly onProgress?: (event: {
    readonly type: 'runtime.install';
    readonly progress: InstallProgress;
  }) => void;
}

export interface RunningServer {
  readonly url: string;
  /** Stops accepting requests, drains the requests in flight, and releases all resources. */
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
  // Live settings are read from it again at each use.
  const settings = live.current;
  const check = (each: Settings) =>
    assertStartable(each, { isUnauthenticatedAllowed: options.allowUnauthenticated ?? false });
  check(settings);
  const { isLogForTerminal = false } = options;
  const isTextLog =
    settings['log.format'] === 'auto' ? isLogForTerminal : settings['log.format'] === 'text';
  const hasColors = isLogForTerminal && (environment['NO_COLOR'] ?? '') === '';
  const logger = createLogger(
    settings['log.level'],
    isTextLog ? textDestination({ hasColors }) : undefined,
  );
  // Each step registers how it is undone; closing undoes them in reverse order.
  const cleanups: (() => unknown)[] = [];
  const stopping = new AbortController();
  cleanups.push(() => stopping.abort());
  const closeAll = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) {
      try {
        await cleanup();
      } catch (error) {
        logger.error({ err: error }, 'cleanup failed');
      }
    }
  };
  const stop = async (): Promise<void> => {
    await closeAll();
    logger.info('stopped');
  };
  for (const warning of resolved.warnings) logger.warn(warning);
  try {
    const notifier = createServiceNotifier({ environment, logger });
    cleanups.push(() => notifier.close());
    const lock = await acquireHomeLock(home);
    cleanups.push(() => lock.release());

    const events = new ServerEvents((err) => logger.error({ err }, 'event not processed'));
    const requestLog = new RequestLog({ events, capacity: settings['observability.requests'] });

    const database = await createSqliteStore({
      file: settings['store.url'] ?? join(home, 'hearth.db'),
      logger,
    });
    cleanups.push(() => database.close());
    const warmStates = await openWarmStates({
      isEnabled: settings['warm.enabled'],
      home,
      maxBytes: settings['warm.maxBytes'],
      persistsStateless: settings['warm.persistStateless'],
      isolatesTokens: settings['auth.required'],
      idleMs: settings['warm.idleSeconds'] * 1000,
      isWanted: (prompt) => isWanted(database, prompt),
      logger,
    });
    cleanups.push(() => warmStates?.close());
    const store = withDeletionListener(database, async () => warmStates?.removeUnwanted());

    const modelsFolder = settings['models.dir'] ?? join(home, 'models');
    await mkdir(modelsFolder, { recursive: true });
    const aliases = createModelAliases(
      createAliasSource(sources, (err) =>
        logger.warn({ err }, 'config.json is invalid; the aliases stay unchanged'),
      ),
    );
    await aliases.list();
    const library = createModelLibrary({
      roots: [
        { folder: modelsFolder },
        ...extraRoots(settings),
        { folder: join(packageFolder, 'models/starter'), publisher: 'hearth', origin: 'starter' },
      ],
      logger,
      aliases,
      signal: stopping.signal,
    });

    const watchdog = createWatchdogLink(join(packageFolder, 'dist/watchdog.js'), logger);
    cleanups.push(() => watchdog.close());
    const runtimes = createRuntimeManager({
      runtimesFolder: settings['engine.runtimesDir'] ?? join(home, 'runtimes'),
      configuredServer: settings['engine.llamaServer'],
      releaseBaseUrl: settings['engine.releaseUrl'],
      wheelLauncherPath: join(packageFolder, 'dist/engine/wheel-launcher.py'),
      environment,
      guard: watchdog,
      logger,
    });
    const launcher = createEngineLauncher({
      logger,
      watchdog,
      environment,
      availableBytes: () => readAvailableMemory().bytes,
      spareBytes: settings['engine.spareMemoryMiB'] * 1024 * 1024,
    });
    cleanups.push(() => launcher.close());

    const ggufLoader = new GgufLoader({
      runtimes,
      launcher,
      kvCacheTypes: { k: settings['engine.kvTypeK'], v: settings['engine.kvTypeV'] },
      threads: settings['engine.threads'],
      gpuLayers: settings['engine.gpuLayers'],
      promptCacheMiB: settings['engine.promptCacheMiB'],
      loadTimeoutMs: settings['engine.loadTimeoutSeconds'] * 1000,
      warmStates,
      onInstallProgress: (progress) => onProgress?.({ type: 'runtime.install', progress }),
    });
    const pool = new InstancePool({
      library,
      loaders: [ggufLoader],
      logger,
      events,
      availableMemory: readAvailableMemory,
      totalMemoryBytes: readTotalMemory(),
      get loadsOnRequest() {
        return settings['models.jit'];
      },
      get defaultTtlSeconds() {
        return settings['models.ttlSeconds'];
      },
      defaults: {
        contextLength: settings['engine.contextLength'],
        parallel: settings['engine.parallel'],
      },
      queueCapacity: settings['limits.queuedRequests'],
      get memoryLimitBytes() {
        return settings['models.memoryLimitBytes'];
      },
      get maxLoaded() {
        return settings['models.maxLoaded'];
      },
      get keepsOnlyLast() {
        return settings['models.autoEvict'];
      },
      pinned: settings['models.pinned'],
      loadQueueCapacity: settings['limits.loadQueue'],
      loadWaitSeconds: settings['limits.loadWaitSeconds'],
    });
    cleanups.push(() => pool.close());
    void preloadModels({
      pool,
      models: settings['models.preload'],
      logger,
      signal: stopping.signal,
    });

    const tools = createToolServers({
      home,
      environment,
      builtInPlugins,
      get allowsPlugins() {
        return settings['mcp.allowPlugins'];
      },
      get allowsEphemeral() {
        return settings['mcp.allowEphemeral'];
      },
      get allowedHosts() {
        return settings['mcp.allowedHosts'];
      },
      connectTimeoutMs: settings['mcp.connectTimeoutSeconds'] * 1000,
      callTimeoutMs: settings['mcp.callTimeoutSeconds'] * 1000,
      maxProcesses: settings['mcp.maxProcesses'],
      guard: watchdog,
    });
    cleanups.push(() => tools.close());

    const tokens = createTokenService({
      tokens: store.tokens,
      onTouchError: (err, tokenId) =>
        logger.warn({ err, tokenId }, 'last use of a token not recorded'),
    });
    const endpoint = settings['hub.endpoint'];
    const http = createHttpClient({ environment, egress: hubEgressPolicy(endpoint) });
    cleanups.push(() => http.close());
    const hub = createHub({ endpoint, token: settings['hub.token'], http });
    const downloads = createDownloadManager({
      plan: (request, signal) => planDownload({ hub, hubEndpoint: endpoint, request }, signal),
      hub,
      http,
      store: store.downloads,
      modelsFolder,
      library,
      logger,
      events,
    });
    cleanups.push(() => downloads.close());
    await downloads
      .continueInterrupted()
      .catch((err: unknown) => logger.error({ err }, 'failed to resume downloads'));

    const background = new BackgroundTurns({
      maxRunning: settings['limits.backgroundResponses'],
    });
    cleanups.push(() => background.close());

    // Loaded here, since most of the tests that import this file need no server.
    const { ServerMetrics } = await import('./observability/metrics/server-metrics.ts');
    const metrics = new ServerMetrics({
      events,
      version,
      instances: async () => (await pool.describe()).map(toInstanceMetrics),
      memory: () => pool.memory(),
    });
    const feed = createEventFeed({ events, requestLog, downloads, library, logger });
    const ownerToken = generateOwnerToken();
    const sessions = createSessionService();
    let linkUrl = '';
    const startedAt = new Date();
    const services: SurfaceServices = {
      library,
      modelsFolder,
      aliases,
      pool,
      downloads,
      hub,
      hubEndpoint: endpoint,
      store,
      tokens,
      sessions,
      tools,
      plugins: {
        file: createPluginFileEditor(join(home, 'mcp.json')),
        builtIn: builtInPlugins.map(({ label }) => label),
        get isAllowed() {
          return settings['mcp.allowPlugins'];
        },
      },
      background,
      get maxToolRounds() {
        return settings['chat.maxToolRounds'];
      },
      settings: { editor: createSettingsEditor(sources), live, check },
      runtimes,
      logger,
      events,
      requestLog,
      feed,
      maxImagePixels: settings['limits.imagePixels'],
      server: {
        version,
        pid: process.pid,
        startedAt,
        home,
        isTokenRequired: settings['auth.required'],
        linkUrl: () => linkUrl,
        residentBytes: () => process.memoryUsage.rss(),
      },
    };
    const app = createApp({
      settings,
      authenticator: withSessions(withOwnerToken(tokens, ownerToken), sessions),
      logger,
      version,
      docsFolder: join(packageFolder, 'dist/docs'),
      webFolder: join(packageFolder, 'dist/web'),
      homeId: await ensureHomeId(home),
      ping: () => store.ping(),
      metrics,
      observation: {
        events,
        keepsPrompts: settings['log.prompts'],
        isTraced: settings['tracing.endpoint'] !== undefined,
      },
      surfaces: surfaces
        .map((create) => create(services))
        .filter(({ name }) => isServed(name, settings)),
    });
    const server = await listen({
      app,
      host: settings['server.host'],
      port: settings['server.port'],
      logger,
    });
    linkUrl = server.url;
    const listeners = [server];
    cleanups.push(() =>
      Promise.all(listeners.map((each) => each.close(settings['limits.shutdownSeconds'] * 1000))),
    );
    const secondPort = settings['server.listenAlso'];
    if (secondPort !== undefined) {
      const second = await listen({
        app,
        host: settings['server.host'],
        port: secondPort,
        portSetting: 'server.listenAlso',
        ...(settings['surfaces.ollama'] ? { greeting: ollamaGreeting } : {}),
        logger,
      });
      listeners.push(second);
      logger.info({ url: second.url }, 'listening also');
    }

    // Streams that never end would delay the stop.
    cleanups.push(() => feed.close());
    cleanups.push(() => removeOwnerToken(home));
    await writeOwnerToken(home, ownerToken);
    const record: ServerRecord = {
      pid: process.pid,
      url: server.url,
      version,
      started_at: startedAt.toISOString(),
      ...(settings['auth.required'] ? { requires_token: true } : {}),
    };
    await writeServerRecord(home, record);
    cleanups.push(() => removeServerRecord(home));
    if (recordFolder !== undefined) {
      cleanups.push(() => removeServerRecord(recordFolder));
      await writeServerRecord(recordFolder, record, 0o644).catch((err: unknown) =>
        logger.warn({ err }, 'other users do not find the server: no record for them'),
      );
    }
    logger.info({ url: server.url, version }, 'listening');
    await notifier.ready(`Listening on ${server.url}`);
    cleanups.push(() => void notifier.stopping());
    return { url: server.url, close: stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

const builtInPlugins = [speechScriptPlugin];

/** What clients of Ollama look for at its address. */
const ollamaGreeting = 'Ollama is running';

/** Whether a surface is switched on; one without a setting always is. */
function isServed(name: string, settings: Settings): boolean {
  const key = `surfaces.${name}`;
  return !(key in settings) || settings[key as keyof Settings] === true;
}

/** The folders of other programs. */
function extraRoots(settings: Settings): ModelRoot[] {
  return settings['models.extraDirs'].map((folder) => ({
    folder,
    origin: 'extra',
  }));
}
