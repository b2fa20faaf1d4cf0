import { createAuthenticator, generateOwnerToken, ownerId } from '../access/authenticator.ts';
import { createSessionService } from '../access/session-service.ts';
import { createTokenService } from '../access/token-service.ts';
import { RevocationChecker } from '../api/kit/guards/revocation-checker.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Store } from '../store/store.ts';

interface AccessServices {
  readonly store: Pick<Store, 'tokens' | 'sessions'>;
  readonly logger: Logger;
  readonly cleanups: (() => unknown)[];
}

/** Creates the access control: API tokens, browser sessions, and an owner token for this run. */
export function createAccess({ store, logger, cleanups }: AccessServices) {
  const onTouchError = (err: unknown, id: string) =>
    logger.warn({ err, id }, 'last use of a token or session not recorded');
  const tokens = createTokenService({ tokens: store.tokens, onTouchError });
  const sessions = createSessionService({ sessions: store.sessions, onTouchError });
  const ownerToken = generateOwnerToken();
  const revocationChecker = new RevocationChecker({
    isValid: async ({ type, id, tokenId }) => {
      if (type === 'session' && (await sessions.find(id)) === undefined) return false;
      return tokenId === ownerId || (await tokens.find(tokenId, new Date())) !== undefined;
    },
    logger,
  });
  cleanups.push(() => revocationChecker.close());
  const authenticator = createAuthenticator({ tokens, ownerToken, sessions });
  return { tokens, sessions, authenticator, revocationChecker, ownerToken };
}
