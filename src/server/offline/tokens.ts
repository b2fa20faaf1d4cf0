import { createTokenService, type TokenService } from '../../access/token-service.ts';
import type { Store } from '../../store/store.ts';
import { OfflineError } from './errors.ts';
import type { OfflineHome } from './offline-home.ts';
import { withStore } from './store.ts';

export {
  countResponses,
  moveResponses,
  revokeToken,
  type OwnerCounts,
  type ResponseDisposal,
} from '../../access/revoke-token.ts';
export { noLimits } from '../../store/shared/rate-limit-repository.ts';
export type { OwnedCount, StoredToken } from '../../store/store.ts';

/** Reads or changes the tokens of the home folder. */
export async function withTokens<Result>(
  home: OfflineHome,
  work: (tokens: TokenService, store: Store) => Promise<Result>,
): Promise<Result> {
  return withStore(home, ({ store }) =>
    work(createTokenService({ tokens: store.tokens, onTouchError: () => {} }), store),
  );
}

export function unknownToken(id: string): OfflineError {
  return new OfflineError(`No token has the id "${id}". See \`hearth token ls\`.`);
}
