import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Permission } from '../kernel/permission.ts';
import { noLimits } from '../store/shared/rate-limit-repository.ts';
import { hashSecret } from './token-form.ts';
import {
  cookieName,
  parseSessionToken,
  type SessionService,
  type SessionToken,
} from './session-service.ts';
import type { Authentication, TokenService } from './token-service.ts';

const ownerPermissions: readonly Permission[] = ['admin'];

/** Id of the owner's token. It also owns the responses of the owner's commands and pages. */
export const ownerId = 'owner';

/** Creates a token for the home owner's commands: 192 random bits. */
export function generateOwnerToken(): string {
  return `hearth-owner-${randomBytes(24).toString('hex')}`;
}

/** Parts of a browser's request besides the token. */
export interface BrowserRequest {
  /** Value of a cookie; empty if there is none. */
  readonly cookie: (name: string) => string;
  /** Network address of the browser, or of the proxy in front of the server. */
  readonly address: string;
}

export interface Authenticator {
  /** Identifies the sender of a token, or of a session token with its cookie. */
  authenticate(text: string, now: Date, browser: BrowserRequest): Promise<Authentication>;
}

interface AuthenticatorOptions {
  readonly tokens: Pick<TokenService, 'authenticate' | 'find'>;
  readonly ownerToken: string;
  readonly sessions: Pick<SessionService, 'authenticate' | 'rotate'>;
}

/**
 * Accepts the stored tokens, the owner's token and sessions. The owner's token has the id `owner`, which no stored
 * token can have.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, ownerToken, sessions } = options;
  const ownerHash = hashSecret(ownerToken);
  const owner = {
    id: ownerId,
    name: 'owner',
    permissions: ownerPermissions,
    secretHash: ownerHash.toString('hex'),
    createdAt: new Date(),
    expiresAt: null,
    lastUsedAt: null,
    rateLimits: noLimits,
    modelScope: null,
    priority: 'normal' as const,
  };

  async function findSession(
    sent: SessionToken,
    now: Date,
    browser: BrowserRequest,
  ): Promise<Authentication> {
    const cookie = browser.cookie(cookieName(sent.id));
    const session = await sessions.authenticate(sent, cookie, browser.address);
    const tokenId = session?.tokenId ?? '';
    const token = tokenId === ownerId ? owner : await tokens.find(tokenId, now);
    if (session === undefined || token === undefined) {
      return { kind: 'invalid', reason: 'ended', masked: 'hearth-session-…' };
    }
    return {
      kind: 'session',
      session,
      token,
      rotate: () => sessions.rotate(session, sent, cookie),
    };
  }

  return {
    async authenticate(text, now, browser) {
      const sent = parseSessionToken(text);
      if (sent !== undefined) return findSession(sent, now, browser);
      if (!timingSafeEqual(hashSecret(text), ownerHash)) return tokens.authenticate(text, now);
      return { kind: 'token', token: owner };
    },
  };
}
