import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hashSecret } from './token-form.ts';

/** A page that opened a link of `hearth open`. It may do everything: its permission is `admin`. */
export interface Session {
  /** 16 lower-case hex digits; not secret. */
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  /** Moved by each use. */
  readonly expiresAt: Date;
}

interface SessionLink {
  /** 256 random bits in base64url. */
  readonly code: string;
  readonly expiresAt: Date;
}

/** Sessions and the codes that open them, in memory only: they end with the server. */
export interface SessionService {
  /** Creates a code that opens one session within a minute. */
  createLink(): SessionLink;
  /** Uses up a code; undefined if it is unknown, used or expired. The result is the only copy of the token. */
  open(code: string): { readonly session: Session; readonly token: string } | undefined;
  /**
   * The session of a token, which is used by this; undefined if it has ended.
   *
   * @returns 'foreign' for a text that is not a session token.
   */
  authenticate(token: string): Session | undefined | 'foreign';
  /** Whether a session has not ended; it is not used by this. */
  isValid(id: string): boolean;
  /** Oldest first. */
  list(): readonly Session[];
  /** False if no session has this id. */
  revoke(id: string): boolean;
}

interface SessionServiceOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const linkLifetimeMs = 60_000;
const idleLimitMs = 12 * 3600_000;
/** The oldest links, and the sessions unused for longest, make room for new ones. */
const maxLinks = 16;
const maxSessions = 100;

const tokenPattern = /^hearth-session-(?<id>[0-9a-f]{16})-(?<secret>[\w-]{43})$/;

interface StoredSession {
  readonly id: string;
  readonly secretHash: Buffer;
  readonly createdAtMs: number;
  lastUsedAtMs: number;
}

export function createSessionService(options: SessionServiceOptions = {}): SessionService {
  const now = options.now ?? Date.now;
  let links: readonly { readonly hash: Buffer; readonly expiresAtMs: number }[] = [];
  // Least recently used first.
  const sessions = new Map<string, StoredSession>();

  function removeExpired(): void {
    const time = now();
    links = links.filter(({ expiresAtMs }) => expiresAtMs > time);
    for (const { id, lastUsedAtMs } of sessions.values()) {
      if (lastUsedAtMs + idleLimitMs <= time) sessions.delete(id);
    }
  }

  function useCode(code: string): boolean {
    const hash = hashSecret(code);
    const others = links.filter((link) => !timingSafeEqual(link.hash, hash));
    const isKnown = others.length < links.length;
    links = others;
    return isKnown;
  }

  return {
    createLink: () => {
      removeExpired();
      const code = randomBytes(32).toString('base64url');
      const expiresAtMs = now() + linkLifetimeMs;
      links = [...links.slice(1 - maxLinks), { hash: hashSecret(code), expiresAtMs }];
      return { code, expiresAt: new Date(expiresAtMs) };
    },
    open: (code) => {
      removeExpired();
      if (!useCode(code)) return undefined;
      const id = randomBytes(8).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      const [oldest] = sessions.keys();
      if (sessions.size >= maxSessions && oldest !== undefined) sessions.delete(oldest);
      const time = now();
      const session = {
        id,
        secretHash: hashSecret(secret),
        createdAtMs: time,
        lastUsedAtMs: time,
      };
      sessions.set(id, session);
      return { session: toSession(session), token: `hearth-session-${id}-${secret}` };
    },
    authenticate: (token) => {
      const { id, secret } = tokenPattern.exec(token)?.groups ?? {};
      if (id === undefined || secret === undefined) return 'foreign';
      removeExpired();
      const session = sessions.get(id);
      if (session === undefined || !timingSafeEqual(session.secretHash, hashSecret(secret))) {
        return undefined;
      }
      session.lastUsedAtMs = now();
      sessions.delete(id);
      sessions.set(id, session);
      return toSession(session);
    },
    isValid: (id) => {
      removeExpired();
      return sessions.has(id);
    },
    list: () => {
      removeExpired();
      return [...sessions.values()]
        .map(toSession)
        .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    },
    revoke: (id) => sessions.delete(id),
  };
}

function toSession({ id, createdAtMs, lastUsedAtMs }: StoredSession): Session {
  return {
    id,
    createdAt: new Date(createdAtMs),
    lastUsedAt: new Date(lastUsedAtMs),
    expiresAt: new Date(lastUsedAtMs + idleLimitMs),
  };
}
