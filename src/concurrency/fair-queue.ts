/**
 * A queue in which clients take turns, one item each; the items of one client keep their order of arrival. A client
 * with a hundred items makes the others wait for one of them at a time.
 */
export class FairQueue<Item> {
  /** Items by client; the client whose turn is next comes first. No set is empty. */
  readonly #items = new Map<string, Set<Item>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The item whose turn is next. */
  get first(): Item | undefined {
    const [items] = this.#items.values();
    const [first] = items ?? [];
    return first;
  }

  add(clientKey: string, item: Item): void {
    const items = this.#items.get(clientKey);
    if (items === undefined) this.#items.set(clientKey, new Set([item]));
    else items.add(item);
    this.#length += 1;
  }

  /** Removes an item. Removing the first one ends its client's turn: the client moves to the end of the round. */
  remove(clientKey: string, item: Item): void {
    const wasFirst = this.first === item;
    const items = this.#items.get(clientKey);
    if (items?.delete(item) !== true) return;
    this.#length -= 1;
    if (wasFirst || items.size === 0) this.#items.delete(clientKey);
    if (wasFirst && items.size > 0) this.#items.set(clientKey, items);
  }

  /**
   * The item to remove from a full queue so that the client can enter: the newest item of the client with the most
   * items, if that client still has at least as many as this one afterwards. So no client shuts the others out, and
   * two clients do not displace each other endlessly. Undefined where no client has that many.
   */
  displacedBy(clientKey: string): Item | undefined {
    let most: ReadonlySet<Item> = new Set();
    for (const items of this.#items.values()) if (items.size > most.size) most = items;
    const ownCount = this.#items.get(clientKey)?.size ?? 0;
    return ownCount + 1 > most.size - 1 ? undefined : [...most].at(-1);
  }
}
