import type { OwnedCount, Store } from '../store/store.ts';
import { ownerId } from './authenticator.ts';

/** Treatment of the stored responses of a revoked token. */
export type ResponseDisposal =
  | { readonly action: 'kept' }
  | { readonly action: 'deleted' }
  | {
      readonly action: 'moved';
      /** Id of the token that gets the responses. */
      readonly to: string;
    };

export type Revocation =
  | { readonly kind: 'revoked'; readonly responses: OwnedCount }
  /** Nothing was changed. */
  | { readonly kind: 'unknown_token'; readonly id: string };

type Tokens = Pick<Store, 'tokens' | 'owners'>;

/** Revokes a token at once, then deletes or moves its stored responses. */
export async function revokeToken(
  { tokens, owners }: Tokens,
  id: string,
  disposal: ResponseDisposal,
): Promise<Revocation> {
  if (disposal.action === 'moved') {
    const { to } = disposal;
    if (to === id || (await tokens.find(to)) === undefined)
      return { kind: 'unknown_token', id: to };
  }
  if (!(await tokens.delete(id))) return { kind: 'unknown_token', id };
  switch (disposal.action) {
    case 'kept':
      return { kind: 'revoked', responses: await countOf(owners, id) };
    case 'deleted':
      return { kind: 'revoked', responses: await owners.delete(id) };
    case 'moved':
      return { kind: 'revoked', responses: await owners.move(id, disposal.to) };
  }
}

/**
 * Gives an owner's responses to a token.
 *
 * @returns undefined if there is no such token.
 */
export async function moveResponses(
  { tokens, owners }: Tokens,
  from: string | null,
  to: string,
): Promise<OwnedCount | undefined> {
  if ((await tokens.find(to)) === undefined) return undefined;
  return owners.move(from, to);
}

export type OwnerCounts = Awaited<ReturnType<Store['owners']['counts']>>;

/** Counts the stored responses of each listed token, and of all other tokens together. */
export async function countResponses({ tokens, owners }: Tokens): Promise<{
  readonly of: (tokenId: string) => OwnedCount;
  readonly orphans: OwnerCounts;
}> {
  const counts = await owners.counts();
  const known = new Set((await tokens.list()).map(({ id }) => id));
  return {
    of: (tokenId) => counts.find((each) => each.ownerId === tokenId) ?? none,
    orphans: counts.filter(
      (each) => each.ownerId === null || (each.ownerId !== ownerId && !known.has(each.ownerId)),
    ),
  };
}

const none: OwnedCount = { responseCount: 0, conversationCount: 0 };

async function countOf(owners: Store['owners'], id: string): Promise<OwnedCount> {
  return (await owners.counts()).find((each) => each.ownerId === id) ?? none;
}
