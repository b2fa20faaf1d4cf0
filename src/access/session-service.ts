import { randomBytes } from 'node:crypto';
import type { SessionRepository, StoredSession } from '../store/session-repository.ts';
import { hashSecret } from './token-form.ts';

/** The browser that signs in. */
export interface SessionClient {
  readonly userAgent: string;
  /** Network address of the browser, or of a proxy in front of the server. */
  readonly address: string;
  /** True if the browser reaches the server over HTTPS. */
  readonly isSecure: boolean;
}

/** The two secrets of a session. Neither is enough without the other. */
export interface SessionSecrets {
  /**
   * `hearth-session-<id>-<secret>`: the secret that the page keeps and sends in `Authorization`.
   */
  readonly token: string;
  /** Secret in the browser's cookie, which scripts can't read. Each rotation replaces it. */
  readonly cookie: string;
}

interface SignInCode {
  /** 192 random bits in base64url. */
  readonly code: string;
  readonly expiresAt: Date;
}

/** Browser sessions and the codes that open them. The store has only their hashes. */
export interface SessionService {
  /** Creates a code that opens one session for a token. */
  createCode(tokenId: string, lifetimeMs: number): Promise<SignInCode>;
  /** Uses up a code; undefined if it is unknown, used or has expired. */
  takeCode(code: string): Promise<string | undefined>;
  /** Opens a session. The result is the only copy of its secrets. */
  open(
    tokenId: string,
    client: SessionClient,
  ): Promise<{ readonly session: StoredSession; readonly secrets: SessionSecrets }>;
  /**
   * Finds the session of the secrets, which counts as a use; undefined if it has ended. Replaced secrets end the
   * session, since someone else has a copy of them.
   */
  authenticate(
    token: SessionToken,
    cookie: string,
    address: string,
  ): Promise<StoredSession | undefined>;
  /** Replaces the cookie's secret if it is old. Returns the new one, or undefined if it stays. */
  rotate(session: StoredSession, token: SessionToken, cookie: string): Promise<string | undefined>;
  /** Finds a session that has not ended, without counting as a use. */
  find(id: string): Promise<StoredSession | undefined>;
  /** Lists the sessions of a token, or all; most recently used first. */
  list(tokenId?: string): Promise<readonly StoredSession[]>;
  /** False if there is no such session. */
  revoke(id: string): Promise<boolean>;
}

interface SessionServiceOptions {
  readonly sessions: SessionRepository;
  /** Called if the last use could not be recorded; the request continues. */
  readonly onTouchError: (error: unknown, sessionId: string) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Days from its last use until a session ends. */
const idleDays = 30;
const idleLimitMs = idleDays * 86_400_000;
/** The cookie lasts longer than the session, because not every use renews the cookie. */
export const cookieSeconds = (idleDays + 1) * 86_400;
/** Maximum sessions of a token; a new one replaces the least recently used. */
const maxSessions = 50;
/** Age at which a secret is replaced. */
const rotationMs = 3600_000;
/** Time for which the previous secret stays valid, for requests of other tabs that are already on their way. */
const graceMs = 60_000;
/** Precision of the last use, so that not every request causes a write. */
const touchIntervalMs = 60_000;

const tokenPattern = /^hearth-session-(?<id>[0-9a-f]{16})-(?<secret>[\w-]{32})$/;

/** A session token as the page sends it. */
export interface SessionToken {
  readonly id: string;
  readonly secret: string;
}

/** Undefined if the text is not a session token. */
export function parseSessionToken(text: string): SessionToken | undefined {
  const { id, secret } = tokenPattern.exec(text)?.groups ?? {};
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Each session has its own cookie, since all servers on a host share its cookies, whatever their ports. */
export function cookieName(id: string): string {
  return `hearth-session-${id}`;
}

/** Time at which a session ends unless it is used before. */
export function expiryOf({ lastUsedAt }: Pick<StoredSession, 'lastUsedAt'>): Date {
  return new Date(lastUsedAt.getTime() + idleLimitMs);
}

export function createSessionService(options: SessionServiceOptions): SessionService {
  const { sessions, onTouchError } = options;
  const now = () => new Date((options.now ?? Date.now)());
  const isOver = (session: StoredSession) => expiryOf(session) <= now();

  const find = async (id: string): Promise<StoredSession | undefined> => {
    const session = await sessions.find(id);
    return session === undefined || isOver(session) ? undefined : session;
  };

  /** Reports errors and continues: a full disk must not lock out a page that could free space. */
  const touch = async (session: StoredSession, hash: string, address: string): Promise<void> => {
    const { id, secretHash, confirmedAt, lastUsedAt } = session;
    const time = now();
    try {
      if (confirmedAt === null && hash === secretHash) await sessions.confirm(id, hash, time);
      const isRecent = time.getTime() - lastUsedAt.getTime() < touchIntervalMs;
      if (!isRecent || address !== session.address) await sessions.touch(id, time, address);
    } catch (error) {
      onTouchError(error, id);
    }
  };

  return {
    createCode: async (tokenId, lifetimeMs) => {
      const code = newSecret();
      const expiresAt = new Date(now().getTime() + lifetimeMs);
      const codeHash = hashSecret(code).toString('hex');
      await sessions.addCode({ codeHash, tokenId, expiresAt }, now());
      return { code, expiresAt };
    },
    takeCode: (code) => sessions.takeCode(hashSecret(code).toString('hex'), now()),
    open: async (tokenId, client) => {
      await sessions.deleteUnused(new Date(now().getTime() - idleLimitMs));
      const open = await sessions.list(tokenId);
      for (const { id } of open.slice(maxSessions - 1)) await sessions.delete(id);
      const token = { id: randomBytes(8).toString('hex'), secret: newSecret() };
      const cookie = newSecret();
      const time = now();
      const session: StoredSession = {
        id: token.id,
        tokenId,
        secretHash: hashOf(token, cookie),
        previousHash: null,
        rotatedAt: time,
        confirmedAt: null,
        ...client,
        createdAt: time,
        lastUsedAt: time,
      };
      await sessions.insert(session);
      return { session, secrets: { token: `hearth-session-${token.id}-${token.secret}`, cookie } };
    },
    authenticate: async (token, cookie, address) => {
      const session = await find(token.id);
      if (session === undefined) return undefined;
      const hash = hashOf(token, cookie);
      if (hash === session.previousHash) {
        const { confirmedAt } = session;
        const isReplaced =
          confirmedAt !== null && now().getTime() - confirmedAt.getTime() > graceMs;
        if (isReplaced) await sessions.delete(session.id);
        if (isReplaced) return undefined;
      } else if (hash !== session.secretHash) return undefined;
      await touch(session, hash, address);
      return session;
    },
    rotate: async ({ id, rotatedAt, confirmedAt, secretHash }, token, cookie) => {
      const presented = hashOf(token, cookie);
      const isPrevious = presented !== secretHash;
      if (isPrevious && confirmedAt !== null) return undefined;
      // If the browser did not receive the present secret, it gets another one after a while.
      const dueMs = isPrevious ? graceMs : rotationMs;
      const time = now();
      if (time.getTime() - rotatedAt.getTime() < dueMs) return undefined;
      const next = newSecret();
      const isFirst = await sessions.rotate(id, secretHash, {
        secretHash: hashOf(token, next),
        previousHash: presented,
        rotatedAt: time,
      });
      return isFirst ? next : undefined;
    },
    find,
    list: async (tokenId) => (await sessions.list(tokenId)).filter((each) => !isOver(each)),
    revoke: (id) => sessions.delete(id),
  };
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Hashes both secrets, so that neither is enough. They are random, so a comparison of hashes
 * reveals nothing about them.
 */
function hashOf({ secret }: SessionToken, cookie: string): string {
  return hashSecret(`${secret}.${cookie}`).toString('hex');
}
