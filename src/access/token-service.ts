import { timingSafeEqual } from 'node:crypto';
import type { Priority } from '../kernel/concurrency/fair-queue.ts';
import type { ModelScope } from '../kernel/model-scope.ts';
import type { Permission } from '../kernel/permission.ts';
import { noLimits, type RateLimits } from '../store/shared/rate-limit-repository.ts';
import type { StoredSession } from '../store/session-repository.ts';
import type { StoredToken, TokenRepository } from '../store/store.ts';
import { formatToken, generateToken, hashSecret, maskToken, parseToken } from './token-form.ts';

interface NewToken {
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** When the token expires; absent if it never does. */
  readonly expiresAt?: Date;
  /** If absent, the limits of the settings. */
  readonly rateLimits?: RateLimits;
  /** All models if absent. */
  readonly modelScope?: ModelScope;
  /** `normal` if absent. */
  readonly priority?: Priority;
}

export type Authentication =
  | { readonly kind: 'token'; readonly token: StoredToken }
  | {
      readonly kind: 'session';
      readonly session: StoredSession;
      /** Owner of the session. */
      readonly token: StoredToken;
      /** Replaces the cookie's secret if it is old. Returns the new one, or undefined if it stays. */
      readonly rotate: () => Promise<string | undefined>;
    }
  | {
      readonly kind: 'invalid';
      /** `unknown` includes revoked tokens and wrong secrets; `ended` is for session tokens. */
      readonly reason: 'malformed' | 'unknown' | 'expired' | 'ended';
      /** The part of the token that messages may show. */
      readonly masked: string;
    };

export interface TokenService {
  /** Creates a token. The result is the only copy of its text: the store has only a hash of the secret. */
  create(token: NewToken): Promise<{ readonly record: StoredToken; readonly token: string }>;
  /** Identifies the sender of a token. */
  authenticate(text: string, now: Date): Promise<Authentication>;
  /** Finds a token that is neither revoked nor expired, without counting as a use. */
  find(id: string, now: Date): Promise<StoredToken | undefined>;
  /** Oldest first. */
  list(): Promise<readonly StoredToken[]>;
}

/** Precision of `lastUsedAt`, so that not every request causes a write. */
const touchIntervalMs = 60_000;

interface TokenServiceOptions {
  readonly tokens: TokenRepository;
  /** Called if the last use could not be recorded; the request continues. */
  readonly onTouchError: (error: unknown, tokenId: string) => void;
}

/** Creates, checks and lists the store's API tokens. */
export function createTokenService({ tokens, onTouchError }: TokenServiceOptions): TokenService {
  return {
    create: async ({ name, permissions, expiresAt, ...rest }) => {
      const { rateLimits = noLimits, modelScope = null, priority = 'normal' } = rest;
      const parts = generateToken();
      const record: StoredToken = {
        id: parts.id,
        name,
        permissions,
        secretHash: hashSecret(parts.secret).toString('hex'),
        createdAt: new Date(),
        expiresAt: expiresAt ?? null,
        lastUsedAt: null,
        rateLimits,
        modelScope,
        priority,
      };
      await tokens.insert(record);
      return { record, token: formatToken(parts) };
    },
    authenticate: async (text, now) => {
      const masked = maskToken(text);
      const parts = parseToken(text);
      if (parts === undefined) return { kind: 'invalid', reason: 'malformed', masked };
      const token = await tokens.find(parts.id);
      if (token === undefined || !hasSecret(token, parts.secret)) {
        return { kind: 'invalid', reason: 'unknown', masked };
      }
      if (isExpired(token, now)) {
        return { kind: 'invalid', reason: 'expired', masked };
      }
      await touch(token, now);
      return { kind: 'token', token };
    },
    find: async (id, now) => {
      const token = await tokens.find(id);
      return token === undefined || isExpired(token, now) ? undefined : token;
    },
    list: () => tokens.list(),
  };

  /** Reports errors and continues: a full disk must not lock out a client that could free space. */
  async function touch({ id, lastUsedAt }: StoredToken, now: Date): Promise<void> {
    if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < touchIntervalMs) return;
    try {
      await tokens.touch(id, now);
    } catch (error) {
      onTouchError(error, id);
    }
  }
}

function isExpired({ expiresAt }: StoredToken, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function hasSecret({ secretHash }: StoredToken, secret: string): boolean {
  return timingSafeEqual(Buffer.from(secretHash, 'hex'), hashSecret(secret));
}
