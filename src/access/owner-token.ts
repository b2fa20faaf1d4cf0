import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Permission } from '../kernel/permission.ts';
import { hashSecret } from './token-form.ts';
import { settingLimits, type TokenService } from './token-service.ts';

const ownerPermissions: readonly Permission[] = ['admin'];

/** Id of the token, and owner of the responses, of commands and pages of the home's owner. */
export const ownerId = 'owner';

/** A new token for the commands of the home's owner: 192 random bits. */
export function generateOwnerToken(): string {
  return `hearth-owner-${randomBytes(24).toString('hex')}`;
}

/**
 * Accepts the owner's token in addition to the stored tokens. Its id is `owner`, which no stored token can have.
 */
export function withOwnerToken(
  tokens: Pick<TokenService, 'authenticate'>,
  ownerToken: string,
): Pick<TokenService, 'authenticate'> {
  const ownerHash = hashSecret(ownerToken);
  const createdAt = new Date();
  return {
    async authenticate(authorizationHeader, now) {
      const text = /^Bearer +(\S+) *$/i.exec(authorizationHeader ?? '')?.[1];
      if (text === undefined || !timingSafeEqual(hashSecret(text), ownerHash)) {
        return tokens.authenticate(authorizationHeader, now);
      }
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
