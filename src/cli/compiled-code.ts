import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

interface LoadedFile {
  readonly exports: unknown;
  /**
   * Keeps what V8 has compiled so far for the next process, unless this one started with it. Takes some 30 ms. V8 refuses
   * it later if flags were set since the file was loaded.
   */
  readonly keepCompiledCode: () => void;
}

/**
 * Loads a program with the code that an earlier process compiled. Compiling a file of several megabytes takes longer than the
 * rest of a start. The code is beside the file, in a folder that only users who can change the file can write to.
 *
 * @param file Absolute path of a script in ASCII and without `import()`. Its value is the function in which Node.js would wrap a
 * CommonJS module, so that the text is in memory once.
 * @param contentHash Of the file: V8 compares only its length.
 */
export function loadWithCompiledCode(file: string, contentHash: string): LoadedFile {
  // V8 keeps the path of the script with its code, so that stack traces would show the folder that an installation had before.
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

/** Does nothing where it can't: an installation may be read-only. */
function replace(file: string, content: Uint8Array): void {
  const partial = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(partial, content, { flag: 'wx' });
    renameSync(partial, file);
  } catch {
    rmSync(partial, { force: true });
  }
}
