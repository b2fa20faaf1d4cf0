import { ownerId as ownerTokenId } from '../access/authenticator.ts';
import type { Store } from '../store/store.ts';
import type { CachedPrompt } from '../engines/states/prefix-hash.ts';

/** True if the prompt's response is stored and the token of its request still exists. */
export async function isWanted(
  { responses, tokens }: Pick<Store, 'responses' | 'tokens'>,
  { ownerId, responseId }: Pick<CachedPrompt, 'ownerId' | 'responseId'>,
): Promise<boolean> {
  const hasOwner = ownerId === null || ownerId === ownerTokenId;
  if (!hasOwner && (await tokens.find(ownerId)) === undefined) return false;
  return responseId === null || (await responses.find(responseId, ownerId)) !== undefined;
}
