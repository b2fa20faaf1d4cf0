import { randomBytes } from 'node:crypto';
import { chmod, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { contains, type CachedPrompt } from './cached-prompt.ts';

/** A state in the folder of an engine. */
export interface MemoryState {
  readonly fileName: string;
  readonly prompt: CachedPrompt;
  readonly sizeBytes: number;
  /** Whether its content may be written to disk. */
  readonly isKeepable: boolean;
  /** Whether a copy is on disk. */
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
  #bytesPerToken: number;

  constructor(options: MemoryStatesOptions) {
    this.#options = options;
    this.#bytesPerToken = options.bytesPerToken;
  }

  list(): readonly MemoryState[] {
    return [...this.#states.values()];
  }

  newFileName(): string {
    return `${randomBytes(8).toString('hex')}.bin`;
  }

  pathOf(fileName: string): string {
    return join(this.#options.folder, fileName);
  }

  /** Deletes the least recently used states until one of so many tokens has room; false if it is too large. */
  async makeRoom(tokens: number): Promise<boolean> {
    const { maxBytes, freeBytes } = this.#options;
    const bytes = tokens * this.#bytesPerToken;
    if (bytes > maxBytes) return false;
    for (;;) {
      const used = this.list().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      if (used + bytes <= maxBytes && (await freeBytes()) >= bytes) return true;
      const [oldest] = this.#states.values();
      if (oldest === undefined) return false;
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
  }
}
