import { get } from '../setup/server/api.ts';

/** Acknowledgments of the server: stored responses, and deletions. */
export class Ledger {
  /** JSON of the output by id; undefined if the output is unknown. */
  readonly #stored = new Map<string, string | undefined>();
  readonly #deleted = new Set<string>();

  get storedCount(): number {
    return this.#stored.size;
  }

  get deletedCount(): number {
    return this.#deleted.size;
  }

  /** @param output Items of the answer. */
  addStored(id: string, output?: unknown): void {
    this.#stored.set(id, output === undefined ? undefined : JSON.stringify(output));
  }

  /** Called before the request: if it is never answered, the response may or may not exist. */
  beginDeletion(id: string): void {
    this.#stored.delete(id);
  }

  addDeleted(id: string): void {
    this.#deleted.add(id);
  }

  /** Ids of all stored responses, oldest first. */
  ids(): readonly string[] {
    return [...this.#stored.keys()];
  }

  /**
   * Reads every response again. Returns a line for each response that is missing, has changed, or exists again after
   * its deletion.
   */
  async findLosses(url: string, ids: readonly string[] = this.ids()): Promise<readonly string[]> {
    const losses: string[] = [];
    for (const id of ids) {
      const expected = this.#stored.get(id);
      const { status, body } = await get(url, `/api/v1/responses/${id}`);
      // A deletion may have begun in the meantime.
      if (!this.#stored.has(id)) continue;
      if (status !== 200) losses.push(`${id} is lost: ${status} ${JSON.stringify(body)}`);
      else if (expected !== undefined && JSON.stringify(body.output) !== expected) {
        losses.push(`${id} is different: ${JSON.stringify(body.output)} instead of ${expected}`);
      }
    }
    for (const id of this.#deleted) {
      const { status } = await get(url, `/api/v1/responses/${id}`);
      if (status !== 404) losses.push(`${id} was deleted and is back`);
    }
    return losses;
  }
}
