import { timingSafeEqual } from 'node:crypto';
import type { Permission } from '../contract/permission.ts';
import type { StoredToken, TokenRepository } from '../store/store.ts';
import { formatToken, generateToken, hashSecret, maskToken, parseToken } from './token-form.ts';

interface NewToken {
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** The first moment at which it isn't valid any more; never where absent. */
  readonly expiresAt?: Date;
}

export type Authentication =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: StoredToken }
  | {
      readonly kind: 'invalid';
      /** `unknown` is a revoked token too, and one with a wrong secret. */
      readonly reason: 'malformed' | 'unknown' | 'expired';
      /** What of the token a message may show. */
      readonly masked: string;
    };

export interface TokenService {
  /** The only time that the token itself is known: just a hash of its secret is kept. */
  create(token: NewToken): Promise<{ readonly record: StoredToken; readonly token: string }>;
  /** Reads an `Authorization` header (`Bearer`, RFC 6750); whether a token is needed is not its matter. */
  authenticate(authorizationHeader: string | undefined, now: Date): Promise<Authentication>;
  /** Oldest first. */
  list(): Promise<readonly StoredToken[]>;
  /** False where there is no token with this id. */
  revoke(id: string): Promise<boolean>;
}

/** `lastUsedAt` is only so exact, which spares a write with each request. */
const touchIntervalMs = 60_000;

interface TokenServiceOptions {
  readonly tokens: TokenRepository;
  /** Told where the last use could not be noted; the request goes on. */
  readonly onTouchError: (error: unknown, tokenId: string) => void;
}

/** Makes, checks, lists and revokes the API tokens kept in a store. */
export function createTokenService({ tokens, onTouchError }: TokenServiceOptions): TokenService {
  return {
    create: async ({ name, permissions, expiresAt }) => {
      const parts = generateToken();
      const record: StoredToken = {
        id: parts.id,
        name,
        permissions,
        secretHash: hashSecret(parts.secret).toString('hex'),
        createdAt: new Date(),
        expiresAt: expiresAt ?? null,
        lastUsedAt: null,
      };
      await tokens.insert(record);
      return { record, token: formatToken(parts) };
    },
    authenticate: async (authorizationHeader, now) => {
      if (authorizationHeader === undefined) return { kind: 'none' };
      const text = /^Bearer +(\S+) *$/i.exec(authorizationHeader)?.[1] ?? '';
      const masked = maskToken(text);
      const parts = parseToken(text);
      if (parts === undefined) return { kind: 'invalid', reason: 'malformed', masked };
      const token = await tokens.find(parts.id);
      if (token === undefined || !hasSecret(token, parts.secret)) {
        return { kind: 'invalid', reason: 'unknown', masked };
      }
      if (token.expiresAt !== null && token.expiresAt <= now) {
        return { kind: 'invalid', reason: 'expired', masked };
      }
      await touch(token, now);
      return { kind: 'token', token };
    },
    list: () => tokens.list(),
    revoke: (id) => tokens.delete(id),
  };

  /** A disk that is full must not lock out the one who wants to free it. */
  async function touch({ id, lastUsedAt }: StoredToken, now: Date): Promise<void> {
    if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < touchIntervalMs) return;
    try {
      await tokens.touch(id, now);
    } catch (error) {
      onTouchError(error, id);
    }
  }
}

function hasSecret({ secretHash }: StoredToken, secret: string): boolean {
  return timingSafeEqual(Buffer.from(secretHash, 'hex'), hashSecret(secret));
}
