import { randomBytes } from 'node:crypto';
import { chmod, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { contains, type CachedPrompt } from './prefix-hash.ts';

/** A state in the folder of an engine. */
export interface MemoryState {
  readonly fileName: string;
  readonly prompt: CachedPrompt;
  readonly sizeBytes: number;
  /** True if its content may be written to disk. */
  readonly isKeepable: boolean;
  /** True if a copy is on disk. */
  isKept: boolean;
}

interface MemoryStatesOptions {
  /** Folder that only this user can open. */
  readonly folder: string;
  /** Maximum size of all states together. */
  readonly maxBytes: number;
  readonly freeBytes: () => Promise<number>;
  /** Size of a cached token before the first state was saved. */
  readonly bytesPerToken: number;
}

/** The states of one engine in its folder, least recently used first. */
export class MemoryStates {
  readonly #options: MemoryStatesOptions;
  readonly #states = new Map<string, MemoryState>();
  /** Reserved sizes of the files in writing, by name. */
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
   * Reserves room for a state of so many tokens, and deletes the least recently used states for it.
   *
   * @returns the name of its file, to be passed to `add` or `removeFile`; undefined if the state is too large.
   */
  async newFile(tokens: number): Promise<string | undefined> {
    const { maxBytes, freeBytes } = this.#options;
    const bytes = tokens * this.#bytesPerToken;
    if (bytes > maxBytes) return undefined;
    for (;;) {
      const free = await freeBytes();
      // Others may have taken the room during the wait.
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

  /** Adds a file of the folder, and removes the states that it contains. */
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

  /** Notes that a state was used. */
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
