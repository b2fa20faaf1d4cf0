import type { LogEntry } from './write-log.ts';

/** The page cache writes whole pages. */
const pageBytes = 4096;

interface PowerLoss {
  readonly entries: readonly LogEntry[];
  /** Size of the log at the time of the power loss. */
  readonly at: number;
  readonly random: () => number;
}

/**
 * The files after a power loss, by path: what was flushed, and at random what was not.
 *
 * - Names (new files, renames, deletions) are journaled: after the loss there is a prefix of their changes, at least up to the
 *   last flush of any file (ext4, XFS, Btrfs and APFS are as strict or stricter).
 * - Content is written page by page and in any order, each page as it was at some time since its file was flushed. So a
 *   renamed file may be empty, and a page in its middle may be missing.
 */
export function losePower({ entries, at, random }: PowerLoss): ReadonlyMap<string, Buffer> {
  const past = entries.filter(({ position }) => position <= at);
  const flushedBefore = flushes(past);
  const namesBefore = between(Math.max(0, ...flushedBefore.values()), at, random);
  const pages = new Map<string, number>();
  const names = new Map<string, FileContent>();
  const open = new Map<bigint, FileContent>();

  for (const entry of past) {
    const { operation, path, target, file, offset, position } = entry;
    const isNameKept = position <= namesBefore;
    const content = open.get(file);
    if (operation === 'create') {
      const created = new FileContent(`${file} ${position}`);
      open.set(file, created);
      if (isNameKept) names.set(path, created);
    } else if (operation === 'truncate' && content !== undefined) {
      const isKept = isNameKept || position <= (flushedBefore.get(content.key) ?? 0);
      if (isKept) content.resize(offset);
    } else if (operation === 'write' && content !== undefined) {
      for (const { start, data } of split(entry)) {
        const flushed = flushedBefore.get(content.key) ?? 0;
        const key = `${content.key} ${Math.floor(start / pageBytes)}`;
        const keptBefore = pages.get(key) ?? between(flushed, at, random);
        pages.set(key, keptBefore);
        if (position > Math.max(flushed, keptBefore)) continue;
        content.write(start, data);
      }
    } else if (isNameKept) rename(names, operation, path, target);
  }
  return new Map([...names].map(([path, content]) => [path, content.bytes()]));
}

class FileContent {
  /** After a deletion, the number (inode) may be given to another file, so the key differs. */
  readonly key: string;
  #room = Buffer.alloc(pageBytes);
  #length = 0;

  constructor(key: string) {
    this.key = key;
  }

  bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  resize(length: number): void {
    if (length > this.#room.length) {
      const larger = Buffer.alloc(2 * length);
      this.#room.copy(larger);
      this.#room = larger;
    }
    if (length < this.#length) this.#room.fill(0, length, this.#length);
    this.#length = length;
  }

  write(start: number, data: Buffer): void {
    this.resize(Math.max(this.#length, start + data.length));
    data.copy(this.#room, start);
  }
}

/** The position up to which each file was flushed. */
function flushes(entries: readonly LogEntry[]): ReadonlyMap<string, number> {
  const keys = new Map<bigint, string>();
  const flushed = new Map<string, number>();
  for (const { operation, file, offset, position } of entries) {
    if (operation === 'create') keys.set(file, `${file} ${position}`);
    if (operation === 'sync') flushed.set(keys.get(file) ?? `folder ${file}`, offset);
  }
  return flushed;
}

function rename(
  names: Map<string, FileContent>,
  operation: LogEntry['operation'],
  path: string,
  target: string,
): void {
  const content = names.get(path);
  if (operation === 'unlink') names.delete(path);
  if (operation === 'link' && content !== undefined) names.set(target, content);
  if (operation !== 'rename') return;
  for (const [name, moved] of new Map(names)) {
    if (name !== path && !name.startsWith(`${path}/`)) continue;
    names.delete(name);
    names.set(target + name.slice(path.length), moved);
  }
}

/** A random number from `first` to `last`, often one of the two. */
function between(first: number, last: number, random: () => number): number {
  const share = Math.min(1, Math.max(0, random() * 3 - 1));
  return first + share * (last - first);
}

function* split({ offset, data }: LogEntry): Generator<{ start: number; data: Buffer }> {
  for (let done = 0; done < data.length;) {
    const start = offset + done;
    const length = Math.min(pageBytes - (start % pageBytes), data.length - done);
    yield { start, data: data.subarray(done, done + length) };
    done += length;
  }
}
