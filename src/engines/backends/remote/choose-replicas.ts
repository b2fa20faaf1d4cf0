import { createHash } from 'node:crypto';

interface ReplicaLoad {
  readonly url: string;
  /** Requests in flight. */
  readonly active: number;
}

/** A replica takes at most this many times its share of the requests in flight before others help. */
const maxShare = 1.25;

/**
 * Orders replicas by preference: the one that rendezvous hashing assigns to the key first, so that a conversation
 * returns to the replica that has read it, and a replica that leaves moves only its own keys. Replicas that have much
 * more than their share of the requests in flight come last.
 */
export function orderReplicas<Replica extends ReplicaLoad>(
  replicas: readonly Replica[],
  key: string,
): readonly Replica[] {
  const active = replicas.reduce((sum, replica) => sum + replica.active, 0);
  const limit = Math.ceil((maxShare * (active + 1)) / replicas.length);
  const weighted = replicas.map((replica) => ({ replica, weight: weightOf(replica.url, key) }));
  return weighted
    .toSorted(
      (one, other) =>
        Number(one.replica.active >= limit) - Number(other.replica.active >= limit) ||
        (one.weight < other.weight ? 1 : -1),
    )
    .map(({ replica }) => replica);
}

function weightOf(url: string, key: string): string {
  return createHash('sha1').update(`${url}\n${key}`).digest('hex');
}
