import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { linkAbort } from '../../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { formatBytes } from '../../kernel/format.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { readDefaultThreads } from '../../platform/machine/read-machine.ts';
import { connectEngine, ConnectionLostError } from '../../platform/net/engine-connection.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { WatchdogLink } from '../../platform/processes/watchdog-link.ts';
import { checkLaunch } from './check-launch.ts';
import { childEnvironment } from './child-environment.ts';
import { createEndpoint, endpointAddress, removeEndpoint } from './endpoint.ts';
import { startEngineChild } from './engine-child.ts';
import { loadError } from './exit-reason.ts';
import type {
  EngineExit,
  EngineLauncher,
  EngineProcess,
  EngineProgram,
  LaunchSpec,
} from './launch.ts';
import { trackLoadProgress } from './load-progress.ts';
import { waitUntilHealthy } from './readiness.ts';
import { residentBytes, watchMemory } from './memory-watch.ts';
import { watchShortage } from './memory-shortage.ts';
import { buildGpuVariables } from './gpu-arguments.ts';
import { buildServerArguments, maxConnections } from './server-arguments.ts';
import { requestCapabilities } from '../backends/llama-server/capabilities.ts';
import { createEngineSlots } from '../backends/llama-server/engine-slots.ts';
import { createLlamaEngine, sampleEngine } from '../backends/llama-server/llama-engine.ts';

const mebibyte = 1024 * 1024;
/** No request needs more. An engine that exceeds this has a bug and would exhaust the machine's memory. */
const defaultSpareBytes = 4096 * mebibyte;
const memoryCheckMs = 1000;

export interface EngineLauncherOptions {
  readonly logger: Logger;
  /** Kills the running engines when this process dies. */
  readonly watchdog: WatchdogLink;
  /** The environment of this process, from which engines inherit a few variables. */
  readonly environment: NodeJS.ProcessEnv;
  /** Further variables of engines, from the setting `engine.environment`. */
  readonly extraVariables?: Readonly<Record<string, string>>;
  /** Bytes that a new process can use now. */
  readonly availableBytes: () => number;
  /** Folder for the sockets of engines; defaults to the folder for temporary files. */
  readonly socketFolder?: string | undefined;
  /** Memory that an engine may use in addition to its prompt cache and twice its estimate. */
  readonly spareBytes?: () => number;
}

/** Starts engines as child processes: llama-server, unless a launch names another program. */
export function createEngineLauncher(options: EngineLauncherOptions): EngineLauncher {
  const { logger, watchdog, environment, availableBytes } = options;
  const { spareBytes = () => defaultSpareBytes } = options;
  /** The stop functions of the running engines, in the order of their start. */
  const running = new Set<() => Promise<void>>();
  let isClosed = false;

  async function launch(
    spec: LaunchSpec,
    signal: AbortSignal,
    onProgress: (fraction: number) => void = () => {},
  ): Promise<EngineProcess> {
    signal.throwIfAborted();
    await checkLaunch(spec);
    const threads = spec.threads ?? readDefaultThreads();
    const { expectedBytes, program = llamaProgram } = spec;
    const wasMemoryShort = await watchShortage({ availableBytes, expectedBytes });
    const endpoint = await createEndpoint({ socketFolder: options.socketFolder });
    if (isClosed || signal.aborted) {
      await removeEndpoint(endpoint);
      signal.throwIfAborted();
      throw shuttingDown();
    }
    const apiKey = randomBytes(24).toString('base64url');
    const connection = connectEngine({
      address: endpointAddress(endpoint),
      apiKey,
      maxConnections: maxConnections(spec),
      closesAfterStream: true,
    });
    const progress = trackLoadProgress(onProgress);
    const child = startEngineChild({
      command: spec.runtime.command,
      arguments: [
        ...spec.runtime.leadingArguments,
        ...program.buildArguments(spec, endpoint, threads),
      ],
      environment: childEnvironment(environment, apiKey, {
        ...program.buildVariables(threads, spec),
        ...options.extraVariables,
      }),
      onOutput: (text) => progress.accept(text),
      guard: watchdog,
      folders: [
        ...(endpoint.type === 'socket' ? [endpoint.folder] : []),
        ...(spec.slotFolder === undefined ? [] : [spec.slotFolder]),
      ],
    });
    const { pid } = child;
    if (pid === undefined) {
      await connection.close();
      await removeEndpoint(endpoint);
      throw loadError(await child.exited, spec);
    }
    const model = basename(spec.modelPath);
    logger.info({ pid, model, runtime: spec.runtime.name }, 'engine started');

    let outgrown: string | undefined;
    const watch = watchMemory({
      measureBytes: () => residentBytes(pid, 'RssAnon'),
      expectedBytes,
      spareBytes: spareBytes() + spec.promptCacheMiB * mebibyte,
      intervalMs: memoryCheckMs,
      onOutgrown: (bytes, limitBytes) => {
        logger.error({ pid, model, bytes, limitBytes }, 'engine killed: it took too much memory');
        outgrown = `the memory guard ended it, as it took ${formatBytes(bytes)} and at most ${formatBytes(limitBytes)} are allowed`;
        void child.kill();
      },
    });
    const exited = child.exited.then(async (exit): Promise<EngineExit> => {
      watch.close();
      if (outgrown !== undefined) return { ...exit, reason: outgrown, lackedMemory: 'guard' };
      const isOfSystem = exit.signal === 'SIGKILL' && (await wasMemoryShort());
      return isOfSystem ? { ...exit, lackedMemory: 'system' } : exit;
    });
    const closed = exited.then(async (exit) => {
      running.delete(stop);
      logger.info({ pid, model, ...exit }, 'engine ended');
      await Promise.all([connection.close(), removeEndpoint(endpoint)]).catch((error: unknown) =>
        logger.warn({ error, pid }, 'socket of an engine not removed'),
      );
      return exit;
    });
    const stop = async (): Promise<void> => {
      await child.stop();
      await closed;
    };
    running.add(stop);

    const failure = linkAbort(signal);
    const timer = setTimeout(() => failure.abort(timeoutError(spec)), spec.loadTimeoutMs);
    void exited.then((exit) => failure.abort(loadError(exit, spec)));
    try {
      await waitUntilHealthy(connection, failure.signal);
      const capabilities = await program.requestCapabilities(connection, spec, failure.signal);
      failure.signal.throwIfAborted();
      child.markReady();
      progress.finish();
      await watch.markLoaded();
      return {
        engine: program.createEngine(connection, spec),
        capabilities,
        pid,
        closed,
        ...(spec.slotFolder === undefined
          ? {}
          : omitUndefined({ slots: program.createSlots?.(connection, spec) })),
        ...(spec.speculation !== undefined &&
          program.sample !== undefined && {
            sample: program.sample.bind(program, connection),
          }),
        stats: async () => ({ pid, ...omitUndefined({ residentBytes: await residentBytes(pid) }) }),
        stop,
      };
    } catch (error) {
      await child.kill();
      await closed;
      if (isClosed) throw shuttingDown();
      throw error instanceof ConnectionLostError ? failure.signal.reason : error;
    } finally {
      clearTimeout(timer);
      failure.dispose();
    }
  }

  return {
    launch,
    close: async () => {
      isClosed = true;
      await Promise.all([...running].toReversed().map((stop) => stop()));
    },
  };
}

function shuttingDown(): HearthError {
  return new HearthError('shutting_down', 'The server is stopping.');
}

function timeoutError(spec: LaunchSpec): HearthError {
  const seconds = spec.loadTimeoutMs / 1_000;
  return new HearthError(
    'load_timeout',
    `The engine did not load ${basename(spec.modelPath)} within ${seconds} s.`,
  );
}

/** llama-server, or the wheel's launcher, which replaces it. */
const llamaProgram: EngineProgram = {
  buildArguments: buildServerArguments,
  buildVariables: (_threads, spec) => buildGpuVariables(spec),
  requestCapabilities: (connection, { runtime }, signal) =>
    requestCapabilities(connection, runtime, signal),
  createEngine: (connection, { contextLength, speculation, adapters = [] }) =>
    createLlamaEngine(connection, {
      contextLength,
      speculates: speculation !== undefined,
      adapters,
    }),
  createSlots: (connection, { adapters = [] }) => createEngineSlots(connection, adapters),
  sample: sampleEngine,
};
