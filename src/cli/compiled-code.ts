import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

interface LoadedFile {
  readonly exports: unknown;
  /**
   * Stores the code that V8 has compiled so far, for the next process. Does nothing if this process started with such
   * code. Takes about 30 ms. If V8 flags were set since the file was loaded, V8 later rejects the code.
   */
  readonly keepCompiledCode: () => void;
}

/**
 * Loads a program with the code that an earlier process compiled: compiling a file of several megabytes takes longer
 * than the rest of a start. The code is kept in a folder beside the file; only users who can change the file can write
 * to it.
 *
 * @param file Absolute path of a script in ASCII without `import()`. It evaluates to the function in which Node.js
 * would wrap a CommonJS module, so that its text is in memory only once.
 * @param contentHash Hash of the file, since V8 only compares its length.
 */
export function loadWithCompiledCode(file: string, contentHash: string): LoadedFile {
  // V8 keeps the script's path with its code, so after a move of the installation, stack traces would show the old
  // path.
  const pathHash = createHash('sha256').update(file).digest('hex').slice(0, 8);
  const codeFile = `${file}.${contentHash}.${pathHash}.${cachedDataVersionTag().toString(16)}.code`;
  const cachedData = readIfExists(codeFile);
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const isKept = cachedData !== undefined && script.cachedDataRejected !== true;
  const module = { exports: {} };
  const run = script.runInThisContext() as (...values: unknown[]) => void;
  run(module.exports, createRequire(file), module, file, dirname(file));
  return {
    exports: module.exports,
    keepCompiledCode: () => {
      if (!isKept) replace(codeFile, script.createCachedData());
    },
  };
}

function readIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Ignores failures, since an installation may be read-only. */
function replace(file: string, content: Uint8Array): void {
  const partial = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(partial, content, { flag: 'wx' });
    renameSync(partial, file);
  } catch {
    rmSync(partial, { force: true });
  }
}
