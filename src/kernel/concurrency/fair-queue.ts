/** Whose requests come first; `normal` for clients that have none. */
export const priorities = ['interactive', 'normal', 'background'] as const;
export type Priority = (typeof priorities)[number];

/** The classes of clients, first to last. `last`: they have a turn when no other client has an item. */
const classes = [...priorities, 'last'] as const;
type ClientClass = (typeof classes)[number];

/** Most items of earlier classes that pass a class which waits. */
const maxPassed = 8;

/** The key of a client whose items wait for all clients with other keys. */
export function lastInTurn(clientKey: string): string {
  return `last ${clientKey}`;
}

/** The key of a client with a priority. */
export function withPriority(clientKey: string, priority: Priority): string {
  return priority === 'normal' ? clientKey : `${priority} ${clientKey}`;
}

/** The key of the same client with a priority that is not above its own. */
export function withinPriority(clientKey: string, priority: Priority): string {
  const own = classOf(clientKey);
  if (classes.indexOf(own) >= classes.indexOf(priority)) return clientKey;
  return withPriority(own === 'normal' ? clientKey : clientKey.slice(own.length + 1), priority);
}

export function classOf(clientKey: string): ClientClass {
  return classes.find((each) => clientKey.startsWith(`${each} `)) ?? 'normal';
}

/**
 * A queue in which clients take turns, one item each; the items of one client keep their order of arrival. A client
 * with a hundred items makes the others wait for one of them at a time. Clients of a higher priority come first, but a
 * class that was passed eight times has the next turn. Clients that are `lastInTurn` take theirs when no other client
 * has an item.
 */
export class FairQueue<Item> {
  readonly #rounds: Readonly<Record<ClientClass, Round<Item>>> = {
    interactive: new Round(),
    normal: new Round(),
    background: new Round(),
    last: new Round(),
  };

  get length(): number {
    return classes.reduce((sum, each) => sum + this.#rounds[each].length, 0);
  }

  /** The next item. */
  get first(): Item | undefined {
    return this.urgent ?? this.#rounds.last.first;
  }

  /** The next item of clients that are not last in turn. */
  get urgent(): Item | undefined {
    return this.#nextRound?.first;
  }

  add(clientKey: string, item: Item): void {
    this.#roundOf(clientKey).add(clientKey, item);
  }

  /**
   * Number of items up to this one, including it, if no other is added and no class was passed
   * often; 0 if it is not in the queue.
   */
  positionOf(clientKey: string, item: Item): number {
    const own = classOf(clientKey);
    const position = this.#rounds[own].positionOf(clientKey, item);
    if (position === 0) return 0;
    const earlier = classes.slice(0, classes.indexOf(own));
    return earlier.reduce((sum, each) => sum + this.#rounds[each].length, position);
  }

  /** Removes an item. Removing the first one ends its client's turn: the client moves to the end of the round. */
  remove(clientKey: string, item: Item): void {
    const round = this.#roundOf(clientKey);
    if (round === this.#nextRound && round.first === item) this.#countTurn(round);
    round.remove(clientKey, item);
    if (round.length === 0) round.passed = 0;
  }

  /**
   * The item to remove from a full queue to make room for the client: the newest one of a lower class; or else the newest
   * item of the client with the most items of the same class, if that client still has at least as many as this one
   * afterwards. So no client can block the others, and two clients do not displace each other forever. Undefined if no
   * client has that many.
   */
  displacedBy(clientKey: string): Item | undefined {
    const own = classOf(clientKey);
    const lower = classes.slice(classes.indexOf(own) + 1).toReversed();
    const lowest = lower.find((each) => this.#rounds[each].length > 0);
    return lowest === undefined
      ? this.#rounds[own].displacedBy(clientKey)
      : this.#rounds[lowest].newest;
  }

  /** The class that was passed for too long, longest first, else the first with an item. */
  get #nextRound(): Round<Item> | undefined {
    let next: Round<Item> | undefined;
    for (const each of priorities) {
      const round = this.#rounds[each];
      if (round.length === 0) continue;
      const isLate = round.passed >= maxPassed && round.passed > (next?.passed ?? 0);
      if (next === undefined || isLate) next = round;
    }
    return next;
  }

  #countTurn(served: Round<Item>): void {
    for (const each of priorities) {
      const round = this.#rounds[each];
      if (round === served) round.passed = 0;
      else if (round.length > 0) round.passed += 1;
    }
  }

  #roundOf(clientKey: string): Round<Item> {
    return this.#rounds[classOf(clientKey)];
  }
}

/** Clients that take turns. */
class Round<Item> {
  /** Items of other rounds that came since this one had a turn and waits. */
  passed = 0;
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
