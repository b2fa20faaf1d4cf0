import { HearthError } from '../kernel/errors/errors.ts';
import type { ScannedFile } from './scanned-file.ts';

/** The data read from a file, or the error if that failed. */
export type Reading<Facts> =
  | { readonly facts: Facts; readonly error: null }
  | { readonly facts: null; readonly error: HearthError };

export interface FactsCache<File extends ScannedFile, Facts> {
  /**
   * Returns the data of a file; reads it if it is new or has changed. Concurrent calls share one read. Failures are
   * cached, too.
   */
  get(file: File): Promise<Reading<Facts>>;
  /** Drops the files that were not used since the last call. */
  forgetUnused(): void;
}

/** Caches the data of each file until the file changes, so that a scan costs one `stat` per file. */
export function createFactsCache<File extends ScannedFile, Facts>(
  read: (file: File) => Promise<Facts>,
): FactsCache<File, Facts> {
  let kept = new Map<string, { fingerprint: string; reading: Promise<Reading<Facts>> }>();
  let used: typeof kept = new Map();
  return {
    async get(file) {
      const known = used.get(file.path) ?? kept.get(file.path);
      const entry =
        known?.fingerprint === file.fingerprint
          ? known
          : { fingerprint: file.fingerprint, reading: attempt(() => read(file)) };
      used.set(file.path, entry);
      try {
        return await entry.reading;
      } catch (error) {
        for (const entries of [used, kept])
          if (entries.get(file.path) === entry) entries.delete(file.path);
        throw error;
      }
    },
    forgetUnused() {
      kept = used;
      used = new Map();
    },
  };
}

async function attempt<Facts>(read: () => Promise<Facts>): Promise<Reading<Facts>> {
  try {
    return { facts: await read(), error: null };
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    // V8 writes the stack at its first use. Until then, the error keeps the reader and its buffer.
    void error.stack;
    return { facts: null, error };
  }
}
