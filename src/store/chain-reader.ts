import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { ancestryOf } from './ancestry.ts';
import { fromRow } from './response-row.ts';
import type { Schema } from './schema.ts';
import type { StoredResponse } from './store.ts';

/** Responses that a query reads, and the time after which a long chain lets other work run. */
const rowsPerQuery = 10;
const sliceMs = 3;
/** Most characters of all cached chains; their objects take several times as many bytes. */
const maxCachedLength = 8 * 1024 * 1024;

interface CachedChain {
  /** Newest first. */
  readonly responses: readonly StoredResponse[];
  /** Characters as stored. */
  readonly length: number;
}

/**
 * Reads conversations turn by turn: the chain of a response is mostly that of its parent, which the previous turn read.
 * Stored responses don't change, so a cached chain stays valid as long as its newest response exists.
 */
export class ChainReader {
  readonly #database: Kysely<Schema>;
  /** By the id of the newest response, least recently used first. */
  readonly #cache = new Map<string, CachedChain>();

  constructor(database: Kysely<Schema>) {
    this.#database = database;
  }

  /** Forgets texts that were deleted. */
  clear(): void {
    this.#cache.clear();
  }

  /**
   * The response, which must exist, and its ancestors, oldest first. Reads in steps, so that other work of the server
   * runs between them. Undefined if it was deleted in the meantime.
   *
   * @param onRead Called with each response, newest first; what it throws ends the reading.
   */
  async read(
    id: string,
    onRead: (response: StoredResponse) => void,
  ): Promise<readonly StoredResponse[] | undefined> {
    const ids = await this.#unreadIds(id);
    const cached = this.#cache.get(ids.at(-1) ?? id);
    const unread = cached === undefined ? ids : ids.slice(0, -1);
    const responses: StoredResponse[] = [];
    let length = cached?.length ?? 0;
    let sliceStart = performance.now();
    for (let start = 0; start < unread.length; start += rowsPerQuery) {
      const step = unread.slice(start, start + rowsPerQuery);
      const rows = await this.#database
        .selectFrom('responses')
        .where('id', 'in', step)
        .selectAll()
        .execute();
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const each of step) {
        const row = found.get(each);
        if (row === undefined) return undefined;
        const response = fromRow(row);
        onRead(response);
        responses.push(response);
        length += row.content.length;
      }
      if (performance.now() - sliceStart < sliceMs) continue;
      await nextLoop();
      sliceStart = performance.now();
    }
    for (const response of cached?.responses ?? []) {
      onRead(response);
      responses.push(response);
    }
    this.#keep(id, { responses, length });
    return responses.toReversed();
  }

  /** The ids from the newest to the first that is cached, or to the beginning. */
  async #unreadIds(id: string): Promise<readonly string[]> {
    if (this.#cache.has(id)) return [id];
    const parent = await this.#database
      .selectFrom('responses')
      .where('id', '=', id)
      .select('parent_id')
      .executeTakeFirst();
    const parentId = parent?.parent_id ?? null;
    if (parentId !== null && this.#cache.has(parentId)) return [id, parentId];
    return ancestryOf(this.#database, id);
  }

  /** A chain replaces that of its parent, which only another branch would read. */
  #keep(id: string, chain: CachedChain): void {
    const parentId = chain.responses[1]?.id;
    if (parentId !== undefined) this.#cache.delete(parentId);
    this.#cache.delete(id);
    if (chain.length > maxCachedLength) return;
    this.#cache.set(id, chain);
    let total = [...this.#cache.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of this.#cache) {
      if (total <= maxCachedLength) return;
      this.#cache.delete(oldest);
      total -= length;
    }
  }
}
