import { basename } from 'node:path';
import { type ErrorCode, HearthError } from '../../contract/errors.ts';
import type { EngineExit, LaunchSpec } from './launch.ts';

type LoadErrorCode = Extract<
  ErrorCode,
  'corrupt_file' | 'unsupported_architecture' | 'out_of_memory' | 'missing_file' | 'engine_exited'
>;

/** What llama.cpp says on its error output, most specific first. */
const knownReasons: readonly (readonly [LoadErrorCode, RegExp])[] = [
  ['missing_file', /no such file or directory|failed to open gguf/iu],
  [
    'unsupported_architecture',
    /unknown (model )?architecture|unsupported projector|unknown projector/iu,
  ],
  [
    'out_of_memory',
    /insufficient memory|out of memory|failed to allocate|unable to allocate|bad_alloc|outofdevicememory|cannot allocate memory/iu,
  ],
  [
    'corrupt_file',
    /invalid magic|failed to read (?:magic|header|key|tensor)|gguf file is version|number of tensors|within the file bounds|tensor '.*' not found|wrong shape|corrupted|failed to load clip model|error loading model/iu,
  ],
];

const meanings: Record<LoadErrorCode, string> = {
  corrupt_file: 'The model file can not be read',
  unsupported_architecture: 'The engine does not know this kind of model',
  out_of_memory: 'There is not enough memory for the model with this context',
  missing_file: 'A file of the model is missing',
  engine_exited: 'The engine stopped while it loaded the model',
};

/**
 * The line of an engine's error output that says why it ended, without time stamp and without folders.
 *
 * @param lines Oldest first.
 */
export function exitReason(
  lines: readonly string[],
  exit: Pick<EngineExit, 'exitCode' | 'signal'>,
): string {
  if (exit.signal === 'SIGTERM') return 'ended by SIGTERM';
  const line =
    knownReasons.map(([, pattern]) => lines.find((text) => pattern.test(text))).find(Boolean) ??
    lines.find((text) => logPrefix.exec(text)?.[1] === 'E') ??
    lines.at(-1);
  if (line !== undefined) return withoutFolders(line.replace(logPrefix, '')).trim();
  return exit.signal === null ? `exit code ${exit.exitCode}` : `ended by ${exit.signal}`;
}

/** The error for an engine that ended before it was ready. */
export function loadError(exit: EngineExit, spec: Pick<LaunchSpec, 'modelPath'>): HearthError {
  const known = knownReasons.find(([, pattern]) => pattern.test(exit.reason))?.[0];
  // Nobody but the system's memory guard kills a loading engine with SIGKILL.
  const code = known ?? (exit.signal === 'SIGKILL' ? 'out_of_memory' : 'engine_exited');
  return new HearthError(code, `${meanings[code]} (${basename(spec.modelPath)}): ${exit.reason}`);
}

/** `0.00.006.203 E llama_model_load: ` of llama.cpp's log. */
const logPrefix = /^[\d.]+ ([A-Z]) (?:(?:srv|cmn|slot) +)?(?:[\w~]+(?:\(\))?: )*/u;

function withoutFolders(text: string): string {
  const path = /(?<=^|[\s'"(])(?:[A-Za-z]:)?(?:[\\/][^\\/'":]+)*[\\/]([^\\/'":\s]+)/gu;
  return text.replaceAll(path, '$1');
}
