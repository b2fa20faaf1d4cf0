import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, statfs, utimes, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import type { Logger } from '../../kernel/logger.ts';
import { contains, type CachedPrompt, type PrefixHash } from './prefix-hash.ts';
import { extractState, readDescription, writeStateFile } from './state-file.ts';
import { renameWithRetry } from '../../platform/files/rename-with-retry.ts';

const extension = '.state';
/** Extension of a state while an engine restores it. A file that has it at the server's start was not restored. */
const restoringExtension = '.restoring';
/** Share of the disk that states must leave free. */
const freeShare = 0.05;
const minFreeBytes = 1024 ** 3;

export interface DiskState {
  readonly id: string;
  readonly key: string;
  readonly prompt: CachedPrompt;
  readonly sizeBytes: number;
}

export interface DiskStatesOptions {
  readonly folder: string;
  /** Maximum size of all states together. */
  readonly maxBytes: number;
  /** True if the prompt's response is still stored and its owner's token still exists. */
  readonly isWanted: (prompt: CachedPrompt) => Promise<boolean>;
  readonly logger: Logger;
  /** Bytes that further states may take on the disk. */
  readonly usableBytes?: (folder: string) => Promise<number>;
}

/**
 * The states on disk, least recently used first. Files are written completely before they get their name, and are
 * verified before they are used; damaged files are deleted. Apart from `open` and `restore`, no method throws on disk
 * errors.
 */
export class DiskStates {
  readonly #options: DiskStatesOptions;
  readonly #states = new Map<string, DiskState>();
  readonly #restoring = new Set<string>();
  readonly #writing = new Mutex();

  private constructor(options: DiskStatesOptions) {
    this.#options = options;
  }

  /**
   * Opens the folder. Deletes files that are damaged, incomplete or no longer wanted, and files that an engine was
   * restoring when the server ended.
   *
   * @throws Error if the folder can't be created.
   */
  static async open(options: DiskStatesOptions): Promise<DiskStates> {
    const kept = new DiskStates(options);
    const { folder } = options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const found: { readonly state: DiskState; readonly usedAtMs: number }[] = [];
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(folder, entry.name);
      try {
        if (!entry.name.endsWith(extension)) throw new Error('left over');
        const { mtimeMs, size } = await stat(path);
        const { key, ownerId, responseId, chain, tokens, heldTokens } = await readDescription(path);
        const prompt = { ownerId, responseId, prefix: chain, tokens, heldTokens };
        const id = entry.name.slice(0, -extension.length);
        found.push({ state: { id, key, prompt, sizeBytes: size }, usedAtMs: mtimeMs });
      } catch (err) {
        options.logger.debug({ err, file: entry.name }, 'state of a slot removed');
        await rm(path, { force: true }).catch(() => {});
      }
    }
    for (const { state } of found.toSorted((one, other) => one.usedAtMs - other.usedAtMs)) {
      kept.#states.set(state.id, state);
    }
    await kept.removeUnwanted();
    return kept;
  }

  /** The states for engines with this key, except for those that are being restored. */
  list(key: string): readonly DiskState[] {
    return [...this.#states.values()].filter(
      (state) => state.key === key && !this.#restoring.has(state.id),
    );
  }

  get totalBytes(): number {
    return [...this.#states.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /**
   * Copies a state from the engine's file. Deletes earlier states of the same conversation that the new one contains.
   * If there is too little room, deletes the least recently used states.
   *
   * @returns Undefined if the state was not written, because it is too large or no longer wanted, the signal aborted,
   *   or the disk failed.
   */
  async write(
    key: string,
    prompt: CachedPrompt,
    source: string,
    signal: AbortSignal,
  ): Promise<DiskState | undefined> {
    try {
      return await this.#writing.run(() => this.#write(key, prompt, source, signal), signal);
    } catch (err) {
      if (!signal.aborted) this.#options.logger.warn({ err }, 'state of a slot not kept on disk');
      return undefined;
    }
  }

  /**
   * Restores a state: copies its data to a new file for the engine, verifies it, and calls `use`. A state that is
   * damaged or whose `use` fails is deleted, at the next start if this process does not survive.
   *
   * @param signal Aborts the copying, not `use`.
   * @returns The result of `use`.
   * @throws The errors of reading, verifying and `use`; the signal's reason.
   */
  async restore<Result>(
    state: DiskState,
    target: string,
    use: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const path = this.#pathOf(state);
    const marked = join(this.#options.folder, `${state.id}${restoringExtension}`);
    this.#restoring.add(state.id);
    let isMarked = false;
    try {
      await extractState(path, target, signal);
      await renameWithRetry(path, marked);
      isMarked = true;
      const result = await use();
      // The state may have been deleted meanwhile.
      if (this.#states.delete(state.id)) {
        await renameWithRetry(marked, path);
        this.#states.set(state.id, state);
        const now = new Date();
        await utimes(path, now, now).catch(() => {});
      }
      return result;
    } catch (error) {
      if (isMarked || !signal.aborted) await this.remove(state);
      throw error;
    } finally {
      this.#restoring.delete(state.id);
    }
  }

  async remove(state: DiskState): Promise<void> {
    this.#states.delete(state.id);
    await Promise.all(
      [extension, restoringExtension].map((suffix) =>
        rm(join(this.#options.folder, `${state.id}${suffix}`), { force: true }).catch(
          (err: unknown) =>
            this.#options.logger.warn({ err, state: state.id }, 'state of a slot not deleted'),
        ),
      ),
    );
  }

  /** Deletes the states of responses that are no longer stored, and of API tokens that no longer exist. */
  async removeUnwanted(): Promise<void> {
    for (const state of this.#states.values()) {
      if (!(await this.#options.isWanted(state.prompt))) await this.remove(state);
    }
  }

  async #write(
    key: string,
    prompt: CachedPrompt,
    source: string,
    signal: AbortSignal,
  ): Promise<DiskState | undefined> {
    const { folder, isWanted, logger } = this.#options;
    const { size } = await stat(source);
    if (!(await isWanted(prompt)) || !(await this.#makeRoom(size))) return undefined;
    const id = randomBytes(12).toString('hex');
    const temporary = join(folder, `${id}.new`);
    const { prefix, ...described } = prompt;
    const description = { key, ...described, chain: copyOf(prefix) };
    try {
      await writeStateFile(source, temporary, description, signal);
      const state = { id, key, prompt, sizeBytes: (await stat(temporary)).size };
      await renameWithRetry(temporary, this.#pathOf(state));
      for (const older of this.list(key)) {
        if (contains(prompt, older.prompt)) await this.remove(older);
      }
      this.#states.set(id, state);
      // The response or the owner's token may have been deleted in the meantime.
      if (!(await isWanted(prompt))) {
        await this.remove(state);
        return undefined;
      }
      logger.debug({ tokens: prompt.tokens, bytes: size }, 'state of a slot kept');
      return state;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Deletes the least recently used states until there is room for a new one; false if it is too large. */
  async #makeRoom(bytes: number): Promise<boolean> {
    const { folder, maxBytes, usableBytes = defaultUsableBytes } = this.#options;
    if (bytes > maxBytes) return false;
    for (;;) {
      const isWithinLimit = this.totalBytes + bytes <= maxBytes;
      if (isWithinLimit && (await usableBytes(folder)) >= bytes) return true;
      const oldest = [...this.#states.values()].find(({ id }) => !this.#restoring.has(id));
      if (oldest === undefined) return false;
      await this.remove(oldest);
    }
  }

  #pathOf({ id }: DiskState): string {
    return join(this.#options.folder, `${id}${extension}`);
  }
}

function copyOf({ hashes, ends }: PrefixHash): { hashes: string[]; ends: number[] } {
  return { hashes: [...hashes], ends: [...ends] };
}

async function defaultUsableBytes(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return bavail * bsize - Math.max(minFreeBytes, blocks * bsize * freeShare);
}
