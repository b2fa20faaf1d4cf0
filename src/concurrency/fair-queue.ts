/**
 * What waits, by caller: callers take turns, one item each, and those of one caller go in order of arrival. So a
 * caller with a hundred of them keeps nobody else waiting for all.
 */
export class FairQueue<Item> {
  /** The caller whose turn is next comes first. None of the sets is empty. */
  readonly #items = new Map<string, Set<Item>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The one whose turn is next. */
  get first(): Item | undefined {
    const [items] = this.#items.values();
    const [first] = items ?? [];
    return first;
  }

  add(caller: string, item: Item): void {
    const items = this.#items.get(caller);
    if (items === undefined) this.#items.set(caller, new Set([item]));
    else items.add(item);
    this.#length += 1;
  }

  /** Takes an item out. Where it was the first, its caller has had a turn and goes to the end of the round. */
  remove(caller: string, item: Item): void {
    const wasFirst = this.first === item;
    const items = this.#items.get(caller);
    if (items?.delete(item) !== true) return;
    this.#length -= 1;
    if (wasFirst || items.size === 0) this.#items.delete(caller);
    if (wasFirst && items.size > 0) this.#items.set(caller, items);
  }

  /**
   * What has to leave a full line for a caller: the newest item of the caller that has most of them, where even
   * then that one has as many as this caller. So a hundred of one caller's shut nobody out, and two callers do
   * not displace each other for ever. Undefined where nobody has that many.
   */
  displacedBy(caller: string): Item | undefined {
    let most: ReadonlySet<Item> = new Set();
    for (const items of this.#items.values()) if (items.size > most.size) most = items;
    const ownCount = this.#items.get(caller)?.size ?? 0;
    return ownCount + 1 > most.size - 1 ? undefined : [...most].at(-1);
  }
}
