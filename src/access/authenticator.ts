import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Permission } from '../kernel/permission.ts';
import { hashSecret } from './token-form.ts';
import type { SessionService } from './session-service.ts';
import { settingLimits, type TokenService } from './token-service.ts';

const ownerPermissions: readonly Permission[] = ['admin'];

/** Id of the token, and owner of the responses, of commands and pages of the home's owner. */
export const ownerId = 'owner';

/** A new token for the commands of the home's owner: 192 random bits. */
export function generateOwnerToken(): string {
  return `hearth-owner-${randomBytes(24).toString('hex')}`;
}

interface AuthenticatorOptions {
  readonly tokens: Pick<TokenService, 'authenticate'>;
  readonly ownerToken: string;
  readonly sessions: Pick<SessionService, 'authenticate'>;
}

/**
 * Accepts the stored tokens, the tokens of sessions and the owner's token. The id of the latter is `owner`, which no
 * stored token can have.
 */
export function createAuthenticator({
  tokens,
  ownerToken,
  sessions,
}: AuthenticatorOptions): Pick<TokenService, 'authenticate'> {
  const ownerHash = hashSecret(ownerToken);
  const createdAt = new Date();
  return {
    async authenticate(text, now) {
      const session = sessions.authenticate(text);
      if (session === undefined) {
        return { kind: 'invalid', reason: 'ended', masked: 'hearth-session-…' };
      }
      if (session !== 'foreign') return { kind: 'session', session };
      if (!timingSafeEqual(hashSecret(text), ownerHash)) return tokens.authenticate(text, now);
      const token = {
        id: ownerId,
        name: 'owner',
        permissions: ownerPermissions,
        secretHash: ownerHash.toString('hex'),
        createdAt,
        expiresAt: null,
        lastUsedAt: null,
        rateLimits: settingLimits,
      };
      return { kind: 'token', token };
    },
  };
}
