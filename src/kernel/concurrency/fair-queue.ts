/** Begins the keys of clients whose items wait for those of all others. */
const lastPrefix = 'last ';

/** The key of a client whose items wait for those of all clients with other keys. */
export function lastInTurn(clientKey: string): string {
  return `${lastPrefix}${clientKey}`;
}

function isLast(clientKey: string): boolean {
  return clientKey.startsWith(lastPrefix);
}

/**
 * A queue in which clients take turns, one item each; the items of one client keep their order of arrival. A client
 * with a hundred items makes the others wait for one of them at a time. Clients that are `lastInTurn` take theirs when no
 * other client has an item.
 */
export class FairQueue<Item> {
  readonly #first = new Round<Item>();
  readonly #last = new Round<Item>();

  get length(): number {
    return this.#first.length + this.#last.length;
  }

  /** The next item. */
  get first(): Item | undefined {
    return this.#first.first ?? this.#last.first;
  }

  /** The next item of clients that are not last in turn. */
  get urgent(): Item | undefined {
    return this.#first.first;
  }

  add(clientKey: string, item: Item): void {
    this.#roundOf(clientKey).add(clientKey, item);
  }

  /** Number of items that come up to and with an item if no other is added; 0 if it is not in the queue. */
  positionOf(clientKey: string, item: Item): number {
    const position = this.#roundOf(clientKey).positionOf(clientKey, item);
    return position > 0 && isLast(clientKey) ? this.#first.length + position : position;
  }

  /** Removes an item. Removing the first one ends its client's turn: the client moves to the end of the round. */
  remove(clientKey: string, item: Item): void {
    this.#roundOf(clientKey).remove(clientKey, item);
  }

  /**
   * The item to remove from a full queue to make room for the client: one that is last in turn; or else the newest item
   * of the client with the most items, if that client still has at least as many as this one afterwards. So no client can
   * block the others, and two clients do not displace each other forever. Undefined if no client has that many.
   */
  displacedBy(clientKey: string): Item | undefined {
    if (isLast(clientKey)) return this.#last.displacedBy(clientKey);
    return this.#last.newest ?? this.#first.displacedBy(clientKey);
  }

  #roundOf(clientKey: string): Round<Item> {
    return isLast(clientKey) ? this.#last : this.#first;
  }
}

/** Clients that take turns. */
class Round<Item> {
  /** Items by client; the client whose turn is next comes first. No set is empty. */
  readonly #items = new Map<string, Set<Item>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get first(): Item | undefined {
    const [items] = this.#items.values();
    const [first] = items ?? [];
    return first;
  }

  /** The newest item of the client with the most items. */
  get newest(): Item | undefined {
    return [...this.#longest].at(-1);
  }

  positionOf(clientKey: string, item: Item): number {
    const turn = [...(this.#items.get(clientKey) ?? [])].indexOf(item);
    if (turn === -1) return 0;
    let position = turn + 1;
    let isAhead = true;
    for (const [key, { size }] of this.#items) {
      if (key === clientKey) isAhead = false;
      else position += Math.min(size, isAhead ? turn + 1 : turn);
    }
    return position;
  }

  add(clientKey: string, item: Item): void {
    const items = this.#items.get(clientKey);
    if (items === undefined) this.#items.set(clientKey, new Set([item]));
    else items.add(item);
    this.#length += 1;
  }

  remove(clientKey: string, item: Item): void {
    const wasFirst = this.first === item;
    const items = this.#items.get(clientKey);
    if (items?.delete(item) !== true) return;
    this.#length -= 1;
    if (wasFirst || items.size === 0) this.#items.delete(clientKey);
    if (wasFirst && items.size > 0) this.#items.set(clientKey, items);
  }

  displacedBy(clientKey: string): Item | undefined {
    const ownCount = this.#items.get(clientKey)?.size ?? 0;
    return ownCount + 1 > this.#longest.size - 1 ? undefined : this.newest;
  }

  get #longest(): ReadonlySet<Item> {
    let longest: ReadonlySet<Item> = new Set();
    for (const items of this.#items.values()) if (items.size > longest.size) longest = items;
    return longest;
  }
}
