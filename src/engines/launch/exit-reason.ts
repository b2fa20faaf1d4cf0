import { basename } from 'node:path';
import { type ErrorCode, HearthError } from '../../kernel/errors/errors.ts';
import { withoutFolders } from '../../platform/processes/without-folders.ts';
import type { EngineExit, LaunchSpec } from './launch.ts';

type LoadErrorCode = Extract<
  ErrorCode,
  'corrupt_file' | 'unsupported_architecture' | 'out_of_memory' | 'missing_file' | 'engine_exited'
>;

type KnownReason = readonly [LoadErrorCode, RegExp];

/** Messages of fatal errors, most specific first, since a failed allocation may lead to an abort. */
const fatalReasons: readonly KnownReason[] = [
  [
    'out_of_memory',
    /insufficient memory|out of memory|failed to allocate|unable to allocate|bad_alloc|outofdevicememory|cannot allocate memory/iu,
  ],
  [
    'engine_exited',
    /^(?:\S+\.(?:c|cc|cpp|cu|cuh|h|hpp|m|mm):\d+: |GGML_ASSERT|terminate called|thread '.*' panicked)/u,
  ],
];

/** Messages on llama.cpp's error output, most specific first. */
const knownReasons: readonly KnownReason[] = [
  ...fatalReasons,
  ['missing_file', /failed to open (?:gguf file|.*\.gguf)/iu],
  [
    'unsupported_architecture',
    /unknown (model )?architecture|unsupported projector|unknown projector/iu,
  ],
  [
    'corrupt_file',
    /invalid magic|failed to read (?:magic|header|key|tensor)|gguf file is version|number of tensors|within the file bounds|tensor '.*' not found|wrong shape|corrupted|failed to load clip model|error loading model/iu,
  ],
];

/** The GPU backend lacks the split mode, such as `row` for CUDA in current builds. */
const noSplit = /does not support split buffers/u;

const meanings: Record<LoadErrorCode, string> = {
  corrupt_file: 'The model file cannot be read',
  unsupported_architecture: 'The engine does not know this kind of model',
  out_of_memory: 'There is not enough memory for the model with this context',
  missing_file: 'A file of the model is missing',
  engine_exited: 'The engine stopped while it loaded the model',
};

/**
 * Returns the line of an engine's error output that explains the exit, without time stamp and folders. Returns the
 * signal or the exit code if no line explains it. After the load, only fatal errors count: other lines may contain a
 * request's text, and all clients see the reason.
 *
 * @param lines The engine's error output of this phase, oldest first.
 */
export function exitReason(
  lines: readonly string[],
  { exitCode, signal }: Pick<EngineExit, 'exitCode' | 'signal'>,
  phase: 'loading' | 'ready',
): string {
  // Another process sent these signals.
  if (signal === 'SIGTERM' || signal === 'SIGKILL') return `ended by ${signal}`;
  const line =
    phase === 'loading'
      ? (firstMatch(lines, knownReasons) ?? (signal === null ? lastErrorLine(lines) : undefined))
      : lines.findLast(isFatal);
  if (line !== undefined) return withoutFolders(line.replace(logPrefix, '')).trim();
  return signal === null ? `exit code ${exitCode}` : `ended by ${signal}`;
}

function firstMatch(lines: readonly string[], reasons: readonly KnownReason[]): string | undefined {
  for (const [, pattern] of reasons) {
    const line = lines.find((text) => pattern.test(text));
    if (line !== undefined) return line;
  }
  return undefined;
}

function isFatal(line: string): boolean {
  return !requestError.test(line) && fatalReasons.some(([, pattern]) => pattern.test(line));
}

function lastErrorLine(lines: readonly string[]): string | undefined {
  return lines.find((text) => logPrefix.exec(text)?.[1] === 'E') ?? lines.at(-1);
}

/** The error for an engine that ended before it was ready. */
export function loadError(
  exit: EngineExit,
  spec: Pick<LaunchSpec, 'modelPath' | 'gpuLayers' | 'gpus'>,
): HearthError {
  const { gpuLayers = 0, gpus } = spec;
  if (gpus?.splitMode !== undefined && noSplit.test(exit.reason)) {
    return new HearthError(
      'invalid_value',
      (name) =>
        `The engine can't split a model by ${gpus.splitMode} on these GPUs (${exit.reason}). Set ${name('splitMode')} to layer.`,
      { field: 'splitMode' },
    );
  }
  const known = knownReasons.find(([, pattern]) => pattern.test(exit.reason))?.[0];
  const code = known ?? (exit.lackedMemory === 'system' ? 'out_of_memory' : 'engine_exited');
  const message = `${meanings[code]} (${basename(spec.modelPath)}): ${exit.reason}`;
  if (known !== 'out_of_memory' || gpus === undefined || gpuLayers === 0) {
    return new HearthError(code, message);
  }
  // The estimate was too low, or another program has taken GPU memory in the meantime.
  return new HearthError(
    code,
    (name) => `${message}. Load it with fewer than ${gpuLayers} ${name('gpuLayers')}.`,
  );
}

/** Prefix of a line in llama.cpp's log, such as `0.00.006.203 E llama_model_load: `. */
const logPrefix = /^[\d.]+ ([A-Z]) (?:(?:srv|cmn|slot) +)?(?:[\w~]+(?:\(\))?: )*/u;

/** Lines that contain a request's text. */
const requestError = /send_error|task id = /u;
