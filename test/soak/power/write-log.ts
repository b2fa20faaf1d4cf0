/** A change of a file below the recorded folder, written by `record-writes.c`. */
export interface LogEntry {
  readonly operation: Operation;
  /** Absolute path; empty for changes of an open file. */
  readonly path: string;
  /** New path of a rename or a link. */
  readonly target: string;
  readonly data: Buffer;
  /** Number of the file (inode); 0 if the path identifies it. */
  readonly file: bigint;
  /** Position of a write, or length of a truncation. For a sync, the size of the log when it began. */
  readonly offset: number;
  /** Size of the log including this entry. */
  readonly position: number;
}

/** In the order of the numbers in `record-writes.c`. */
const operations = [
  'none',
  'create',
  'write',
  'truncate',
  'sync',
  'rename',
  'unlink',
  'link',
  'makeFolder',
] as const;
type Operation = (typeof operations)[number];

const headBytes = 32;

export function readWriteLog(log: Buffer): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  let position = 0;
  const take = (length: number): Buffer => log.subarray(position, (position += length));
  while (position < log.length) {
    const head = take(headBytes);
    const [operation, pathBytes, targetBytes, dataBytes] = [0, 4, 8, 12].map((place) =>
      head.readUInt32LE(place),
    ) as [number, number, number, number];
    const path = take(pathBytes).toString();
    const target = take(targetBytes).toString();
    const data = take(dataBytes);
    entries.push({
      operation: operations[operation] ?? 'none',
      path,
      target,
      data,
      file: head.readBigUInt64LE(16),
      offset: Number(head.readBigUInt64LE(24)),
      position,
    });
  }
  return entries;
}
