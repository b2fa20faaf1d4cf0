import type { Kysely } from 'kysely';
import { TimeSlice } from '../kernel/concurrency/time-slice.ts';
import { ancestryOf } from './ancestry.ts';
import { fromRow } from './response-rows.ts';
import type { Schema } from './schema.ts';
import type { ResponseChain, StoredResponse } from './store.ts';
import type { ReadSystemPrompts } from './dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/** Responses that a query reads. */
const rowsPerQuery = 10;
/** Maximum characters of all cached chains; the parsed objects take several times as many bytes. */
const maxCachedLength = 8 * 1024 * 1024;
/** Length that each response id adds to the size of a cached chain. */
const idLength = 64;

interface ReadResponse {
  readonly response: StoredResponse;
  /** Length in characters as stored. */
  readonly length: number;
}

interface CachedChain {
  /** Ids of the whole chain, newest first. */
  readonly ids: readonly string[];
  /** The responses read so far, newest first. */
  readonly read: readonly ReadResponse[];
  /** The newest system prompt of the unread responses. */
  readonly olderSystemPrompt: string | null;
}

/**
 * Reads conversations turn by turn: most of a response's chain is its parent's chain, which the previous turn read.
 * Stored responses don't change, so a cached chain stays valid as long as its newest response exists.
 */
export class ChainReader {
  readonly #database: Kysely<Schema>;
  readonly #readSystemPrompts: ReadSystemPrompts;
  readonly #readDeletionCount: () => Promise<number>;
  #deletionCount = 0;
  /** Increases when the cache may have lost a chain. */
  #version = 0;
  /** By the id of the newest response, least recently used first. */
  readonly #cache = new Map<string, CachedChain>();

  /** @param readDeletionCount Changes when another process has deleted something. */
  constructor(
    database: Kysely<Schema>,
    readSystemPrompts: ReadSystemPrompts = sqliteDialect.readSystemPrompts,
    readDeletionCount: () => Promise<number> = async () => 0,
  ) {
    this.#database = database;
    this.#readSystemPrompts = readSystemPrompts;
    this.#readDeletionCount = readDeletionCount;
  }

  /** Clears the cache if another process has deleted something. @returns the number of deletions */
  async forgetChanged(): Promise<number> {
    const count = await this.#readDeletionCount();
    if (count !== this.#deletionCount) this.clear();
    this.#deletionCount = count;
    return count;
  }

  /** Removes the chains that contain a changed response from the cache. */
  forget(id: string): void {
    this.#version += 1;
    for (const [newestId, { ids }] of this.#cache) {
      if (ids.includes(id)) this.#cache.delete(newestId);
    }
  }

  /** Clears the cache, so that it keeps no deleted texts. */
  clear(): void {
    this.#version += 1;
    this.#cache.clear();
  }

  /**
   * Reads a response, which must exist, and as many of its ancestors as wanted. Reads in steps, so that other work of
   * the server runs between them. Undefined if the response was deleted in the meantime.
   *
   * @param wantsOlder Called with each response, newest first: true to read its parent as well. An error that it throws
   *   ends the reading.
   */
  async read(
    id: string,
    wantsOlder: (response: StoredResponse) => boolean,
  ): Promise<ResponseChain | undefined> {
    await this.forgetChanged();
    const version = this.#version;
    const known = this.#cachedFor(id) ?? (await this.#cachedForParent(id));
    const ids = known.ids ?? (await ancestryOf(this.#database, id));
    const read = await this.#readResponses(ids, known.cached, wantsOlder);
    if (read === undefined) return undefined;
    const olderSystemPrompt = await this.#systemPromptOf(ids.slice(read.length), known.cached);
    // A response that was changed or deleted meanwhile must not come back with the chain.
    if (version === this.#version) this.#keep(id, { ids, read, olderSystemPrompt });
    return {
      responses: read.map(({ response }) => response).toReversed(),
      olderCount: ids.length - read.length,
      olderSystemPrompt,
    };
  }

  #cachedFor(id: string): KnownChain | undefined {
    const cached = this.#cache.get(id);
    return cached && { ids: cached.ids, cached };
  }

  async #cachedForParent(id: string): Promise<KnownChain> {
    const row = await this.#database
      .selectFrom('responses')
      .where('id', '=', id)
      .select('parent_id')
      .executeTakeFirst();
    const cached = this.#cache.get(row?.parent_id ?? '');
    return cached === undefined ? {} : { ids: [id, ...cached.ids], cached };
  }

  /** Undefined if one of the responses was deleted. */
  async #readResponses(
    ids: readonly string[],
    cached: CachedChain | undefined,
    wantsOlder: (response: StoredResponse) => boolean,
  ): Promise<readonly ReadResponse[] | undefined> {
    const known = new Map(cached?.read.map((each) => [each.response.id, each]));
    const read: ReadResponse[] = [];
    const slice = new TimeSlice();
    for (let start = 0; start < ids.length; start += rowsPerQuery) {
      const step = ids.slice(start, start + rowsPerQuery);
      const unknown = step.filter((id) => !known.has(id));
      const rows = unknown.length === 0 ? [] : await this.#rowsOf(unknown).selectAll().execute();
      for (const row of rows) {
        known.set(row.id, { response: fromRow(row), length: row.content.length });
      }
      for (const id of step) {
        const each = known.get(id);
        if (each === undefined) return undefined;
        read.push(each);
        if (!wantsOlder(each.response)) return read;
      }
      await slice.pause();
    }
    return read;
  }

  /** Finds the newest system prompt of responses, given newest first, without reading their other content. */
  async #systemPromptOf(
    ids: readonly string[],
    cached: CachedChain | undefined,
  ): Promise<string | null> {
    const firstKnown = cached?.ids[cached.read.length];
    const knownFrom = firstKnown === undefined ? -1 : ids.indexOf(firstKnown);
    const end = knownFrom === -1 ? ids.length : knownFrom;
    const slice = new TimeSlice();
    for (let start = 0; start < end; start += rowsPerQuery) {
      const step = ids.slice(start, Math.min(start + rowsPerQuery, end));
      const prompts = await this.#readSystemPrompts(this.#database, step);
      const newest = step.map((id) => prompts.get(id) ?? null).find((prompt) => prompt !== null);
      if (newest !== undefined) return newest;
      await slice.pause();
    }
    return knownFrom === -1 ? null : (cached?.olderSystemPrompt ?? null);
  }

  #rowsOf(ids: readonly string[]) {
    return this.#database.selectFrom('responses').where('id', 'in', ids);
  }

  /** Caches a chain in place of its parent's chain, which only another branch would need. */
  #keep(id: string, chain: CachedChain): void {
    const parentId = chain.ids[1];
    if (parentId !== undefined) this.#cache.delete(parentId);
    this.#cache.delete(id);
    if (lengthOf(chain) > maxCachedLength) return;
    this.#cache.set(id, chain);
    let total = [...this.#cache.values()].reduce((sum, each) => sum + lengthOf(each), 0);
    for (const [oldest, each] of this.#cache) {
      if (total <= maxCachedLength) return;
      this.#cache.delete(oldest);
      total -= lengthOf(each);
    }
  }
}

/** The cached part of a chain. */
interface KnownChain {
  readonly ids?: readonly string[];
  readonly cached?: CachedChain;
}

function lengthOf({ ids, read }: CachedChain): number {
  return read.reduce((sum, { length }) => sum + length, ids.length * idLength);
}
