import { ownerId as homeOwner } from '../../../access/owner-token.ts';
import type { TokenRepository } from '../../../store/store.ts';
import { anonymousPrincipal, tokenPrincipal, type Principal } from './principal.ts';

/** The principal for what an owner left to the server; undefined if its token was revoked or has expired. */
export async function principalOf(
  tokens: Pick<TokenRepository, 'find'>,
  ownerId: string | null,
  isTokenRequired: boolean,
): Promise<Principal | undefined> {
  if (ownerId === null) return isTokenRequired ? undefined : anonymousPrincipal;
  if (ownerId === homeOwner) return { tokenId: ownerId, permissions: ['admin'] };
  const token = await tokens.find(ownerId);
  if (token === undefined || (token.expiresAt !== null && token.expiresAt <= new Date())) {
    return undefined;
  }
  return tokenPrincipal(token);
}
