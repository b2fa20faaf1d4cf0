import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compilePreloaded } from '../../setup/preload-library.ts';
import type { HearthOptions } from '../../setup/server/hearth-process.ts';
import { readWriteLog, type LogEntry } from './write-log.ts';

export interface Recorder {
  readonly options: HearthOptions;
  /** Present size of the log. */
  position(): Promise<number>;
  entries(): Promise<readonly LogEntry[]>;
}

/** Records all writes below a folder, which must be empty. */
export function createRecorder(recorded: string, working: string): Recorder {
  const library = compilePreloaded(join(import.meta.dirname, 'record-writes.c'), working);
  const log = join(working, 'writes.log');
  return {
    options: { environment: { LD_PRELOAD: library, RECORD_FOLDER: recorded, RECORD_LOG: log } },
    position: async () => (await stat(log)).size,
    entries: async () => readWriteLog(await readFile(log)),
  };
}
