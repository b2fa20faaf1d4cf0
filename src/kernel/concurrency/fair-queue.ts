/** Priorities of requests, highest first; a client without one has `normal`. */
export const priorities = ['interactive', 'normal', 'background'] as const;
export type Priority = (typeof priorities)[number];

/** The classes of clients, first to last. `idle`: they have a turn when no other client has an item. */
const classes = [...priorities, 'idle'] as const;
type ClientClass = (typeof classes)[number];

/** Maximum number of items of earlier classes that may pass a waiting class. */
const maxPassed = 8;

/** The key of a client whose items wait for all clients with other keys. */
export function withIdlePriority(clientKey: string): string {
  return `idle ${clientKey}`;
}

/** Adds a priority to a client's key. */
export function withPriority(clientKey: string, priority: Priority): string {
  return priority === 'normal' ? clientKey : `${priority} ${clientKey}`;
}

/** Lowers the priority in a client's key; a higher priority than its own has no effect. */
export function withinPriority(clientKey: string, priority: Priority): string {
  const own = classOf(clientKey);
  if (classes.indexOf(own) >= classes.indexOf(priority)) return clientKey;
  return withPriority(own === 'normal' ? clientKey : clientKey.slice(own.length + 1), priority);
}

export function classOf(clientKey: string): ClientClass {
  for (const each of classes) if (clientKey.startsWith(`${each} `)) return each;
  return 'normal';
}

/** Clients of one class, which take turns. */
interface Round<Item> {
  /** Number of items from other rounds that passed this one while it waited. */
  passed: number;
  length: number;
  /** Items by client, ordered by turn: the next client comes first. No set is empty. */
  readonly clients: Map<string, Set<Item>>;
}

/**
 * A queue in which clients take turns, one item each; the items of one client keep their order of arrival. A client
 * with a hundred items makes the others wait for one of them at a time. Clients of a higher priority come first, but a
 * class that was passed eight times has the next turn. Clients of `withIdlePriority` take theirs when no other client
 * has an item.
 */
export class FairQueue<Item> {
  readonly #rounds: Readonly<Record<ClientClass, Round<Item>>> = {
    interactive: { passed: 0, length: 0, clients: new Map() },
    normal: { passed: 0, length: 0, clients: new Map() },
    background: { passed: 0, length: 0, clients: new Map() },
    idle: { passed: 0, length: 0, clients: new Map() },
  };
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The next item. */
  get first(): Item | undefined {
    return this.urgent ?? firstOf(this.#rounds.idle);
  }

  /** The next item of clients without idle priority. */
  get urgent(): Item | undefined {
    const next = this.#nextRound();
    return next && firstOf(next);
  }

  add(clientKey: string, item: Item): void {
    const round = this.#rounds[classOf(clientKey)];
    const items = round.clients.get(clientKey);
    if (items === undefined) round.clients.set(clientKey, new Set([item]));
    else items.add(item);
    round.length += 1;
    this.#length += 1;
  }

  /**
   * Position of an item in the queue, from 1, if no item is added and no class was passed too often; 0 if the item is
   * not in the queue.
   */
  positionOf(clientKey: string, item: Item): number {
    const own = classOf(clientKey);
    const { clients } = this.#rounds[own];
    const turn = [...(clients.get(clientKey) ?? [])].indexOf(item);
    if (turn === -1) return 0;
    let position = turn + 1;
    let isAhead = true;
    for (const [key, { size }] of clients) {
      if (key === clientKey) isAhead = false;
      else position += Math.min(size, isAhead ? turn + 1 : turn);
    }
    const earlier = classes.slice(0, classes.indexOf(own));
    return earlier.reduce((sum, each) => sum + this.#rounds[each].length, position);
  }

  /** Removes an item. If it was the first, its client's turn ends: the client moves to the end of the round. */
  remove(clientKey: string, item: Item): void {
    const round = this.#rounds[classOf(clientKey)];
    const items = round.clients.get(clientKey);
    if (items?.has(item) !== true) return;
    const isFirst = firstOf(round) === item;
    if (isFirst && round === this.#nextRound()) {
      for (const each of priorities)
        if (this.#rounds[each].length > 0) this.#rounds[each].passed += 1;
      round.passed = 0;
    }
    items.delete(item);
    round.length -= 1;
    this.#length -= 1;
    if (isFirst || items.size === 0) round.clients.delete(clientKey);
    if (isFirst && items.size > 0) round.clients.set(clientKey, items);
    if (round.length === 0) round.passed = 0;
  }

  /**
   * Selects the item to remove from a full queue to make room for the client. This is the newest item of a lower class,
   * if there is one. Otherwise it is the newest item of the client with the most items in the same class, if that
   * client then still has at least as many as this one. So no client can block the others, and two clients do not
   * displace each other forever. Undefined if there is no such item.
   */
  displacedBy(clientKey: string): Item | undefined {
    const own = classOf(clientKey);
    const lower = classes.slice(classes.indexOf(own) + 1).toReversed();
    const lowest = lower.find((each) => this.#rounds[each].length > 0);
    const longest = longestOf(this.#rounds[lowest ?? own]);
    const ownCount = this.#rounds[own].clients.get(clientKey)?.size ?? 0;
    return lowest === undefined && ownCount + 1 > longest.length - 1 ? undefined : longest.at(-1);
  }

  /**
   * Of the classes that were passed too often, the one that was passed most; if there is none, the first class with an
   * item.
   */
  #nextRound(): Round<Item> | undefined {
    let next: Round<Item> | undefined;
    for (const each of priorities) {
      const round = this.#rounds[each];
      if (round.length === 0) continue;
      const isLate = round.passed >= maxPassed && round.passed > (next?.passed ?? 0);
      if (next === undefined || isLate) next = round;
    }
    return next;
  }
}

function firstOf<Item>({ clients }: Round<Item>): Item | undefined {
  for (const items of clients.values()) for (const first of items) return first;
  return undefined;
}

/** The items of the client that has the most. */
function longestOf<Item>({ clients }: Round<Item>): readonly Item[] {
  let longest: ReadonlySet<Item> = new Set();
  for (const items of clients.values()) if (items.size > longest.size) longest = items;
  return [...longest];
}
