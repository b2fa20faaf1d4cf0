import { randomBytes } from 'node:crypto';
import { chmod, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { contains, type CachedPrompt } from './prefix-hash.ts';

/** A state in an engine's folder. */
export interface MemoryState {
  readonly fileName: string;
  readonly prompt: CachedPrompt;
  readonly sizeBytes: number;
  /** True if the state may be copied to disk. */
  readonly isKeepable: boolean;
  /** True if the disk has a copy. */
  isKept: boolean;
}

interface MemoryStatesOptions {
  /** Folder that only this user can open. */
  readonly folder: string;
  /** Maximum size of all states together. */
  readonly maxBytes: number;
  readonly freeBytes: () => Promise<number>;
  /** Assumed size of a cached token until the first state has been saved. */
  readonly bytesPerToken: number;
}

/** The states in one engine's folder, least recently used first. */
export class MemoryStates {
  readonly #options: MemoryStatesOptions;
  readonly #states = new Map<string, MemoryState>();
  /** Reserved sizes of files that are being written, by name. */
  readonly #reservedBytes = new Map<string, number>();
  #bytesPerToken: number;

  constructor(options: MemoryStatesOptions) {
    this.#options = options;
    this.#bytesPerToken = options.bytesPerToken;
  }

  list(): readonly MemoryState[] {
    return [...this.#states.values()];
  }

  pathOf(fileName: string): string {
    return join(this.#options.folder, fileName);
  }

  /**
   * Reserves room for a state with this number of tokens. If necessary, deletes the least recently used states.
   *
   * @returns The name for the file, to be passed to `add` or `removeFile`; undefined if the state is too large.
   */
  async newFile(tokens: number): Promise<string | undefined> {
    const { maxBytes, freeBytes } = this.#options;
    const bytes = tokens * this.#bytesPerToken;
    if (bytes > maxBytes) return undefined;
    for (;;) {
      const free = await freeBytes();
      // Read after the wait, in which other states may have taken the room.
      const reserved = sum(this.#reservedBytes.values());
      const used = sum(this.list().map(({ sizeBytes }) => sizeBytes));
      if (used + reserved + bytes <= maxBytes && free >= reserved + bytes) {
        const fileName = `${randomBytes(8).toString('hex')}.bin`;
        this.#reservedBytes.set(fileName, bytes);
        return fileName;
      }
      const [oldest] = this.#states.values();
      if (oldest === undefined) return undefined;
      await this.remove(oldest);
    }
  }

  /** Adds a file of the folder as a state, and removes earlier states that it contains. */
  async add(fileName: string, prompt: CachedPrompt, isKeepable: boolean): Promise<MemoryState> {
    const path = this.pathOf(fileName);
    await chmod(path, 0o600);
    const { size } = await stat(path);
    this.#bytesPerToken = size / prompt.heldTokens;
    for (const older of this.list()) {
      if (contains(prompt, older.prompt)) await this.remove(older);
    }
    const state = { fileName, prompt, sizeBytes: size, isKeepable, isKept: false };
    this.#reservedBytes.delete(fileName);
    this.#states.set(fileName, state);
    return state;
  }

  /** Marks a state as the most recently used. */
  touch(state: MemoryState): void {
    if (this.#states.delete(state.fileName)) this.#states.set(state.fileName, state);
  }

  async remove({ fileName }: MemoryState): Promise<void> {
    this.#states.delete(fileName);
    await this.removeFile(fileName);
  }

  async removeFile(fileName: string): Promise<void> {
    await rm(this.pathOf(fileName), { force: true }).catch(() => {});
    this.#reservedBytes.delete(fileName);
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
