import { deferred } from '../deferred.ts';
import type {
  Embeddings,
  Engine,
  EngineExit,
  GenerationEvent,
  GenerationRequest,
} from '../../../src/engines/engine.ts';
import type {
  EngineLauncher,
  EngineProcess,
  LaunchSpec,
} from '../../../src/engines/launch/launch.ts';

export interface ScriptedProcess extends EngineProcess {
  readonly spec: LaunchSpec;
  readonly isStopped: () => boolean;
  /** Ends the process as in a crash. */
  readonly crash: (reason: string) => void;
  /** Ends the process like the memory guard does. */
  readonly outgrow: (reason: string) => void;
}

/** Engines that a test controls, for behavior that no model shows on demand. */
export interface ScriptedLauncher extends EngineLauncher {
  readonly processes: readonly ScriptedProcess[];
  readonly launchCount: () => number;
  /** Called for every launch; the load ends when its promise resolves. */
  onLaunch: (
    spec: LaunchSpec,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Called to stop a process; the process has exited when the promise resolves. */
  onStop: () => Promise<void>;
  onGenerate: (signal: AbortSignal, request: GenerationRequest) => AsyncIterable<GenerationEvent>;
  /** The embedding vector of every text. */
  vector: readonly number[];
  /** The scores of rerankers count as normalized. */
  normalizesScores: boolean;
}

export function createScriptedLauncher(): ScriptedLauncher {
  const processes: ScriptedProcess[] = [];
  let launchCount = 0;
  const launcher: ScriptedLauncher = {
    processes,
    launchCount: () => launchCount,
    onLaunch: async () => {},
    onStop: async () => {},
    async *onGenerate() {
      yield { type: 'content.delta', text: 'scripted' };
      yield {
        type: 'generation.end',
        stopReason: 'eosFound',
        isMalformed: false,
        usage: {
          promptTokens: 3,
          cachedTokens: 0,
          completionTokens: 1,
          promptMs: 1,
          generationMs: 1,
        },
      };
    },
    vector: [1, 0],
    normalizesScores: false,
    launch: async (spec, signal, onProgress = () => {}) => {
      launchCount += 1;
      await launcher.onLaunch(spec, onProgress, signal);
      signal.throwIfAborted();
      const process = createScriptedProcess(spec, launchCount, launcher);
      processes.push(process);
      return process;
    },
    close: async () => {},
  };
  return launcher;
}

function createScriptedProcess(
  spec: LaunchSpec,
  pid: number,
  launcher: ScriptedLauncher,
): ScriptedProcess {
  const exit = deferred<EngineExit>();
  let isStopped = false;
  const engine: Engine = {
    generate: (request, { signal }) => launcher.onGenerate(signal, request),
    embed: async (inputs): Promise<Embeddings> => ({
      vectors: inputs.map(() => launcher.vector),
      promptTokens: inputs.length,
    }),
    rank: async (query, documents) => ({
      scores: documents.map((document) => document.split(query).length - 1),
      promptTokens: documents.length,
      isNormalized: launcher.normalizesScores,
    }),
    renderPrompt: async () => undefined,
    countTokens: async (text) => text.length,
    countPromptTokens: async ({ messages }) => messages.length,
  };
  return {
    spec,
    engine,
    pid,
    capabilities: {
      runtimeName: 'scripted',
      runtimeVersion: '1',
      supportedFormats: ['gguf'],
      contextLength: spec.contextLength,
    },
    closed: exit.promise,
    stats: async () => ({ pid }),
    isStopped: () => isStopped,
    stop: async () => {
      await launcher.onStop();
      isStopped = true;
      exit.resolve({ exitCode: 0, signal: null, reason: 'stopped' });
    },
    crash: (reason) => exit.resolve({ exitCode: null, signal: 'SIGSEGV', reason }),
    outgrow: (reason) =>
      exit.resolve({ exitCode: null, signal: 'SIGKILL', reason, lackedMemory: 'guard' }),
  };
}
