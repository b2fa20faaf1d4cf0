import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import type { Store } from '../store/store.ts';
import {
  createSessionService,
  parseSessionToken,
  type SessionSecrets,
  type SessionService,
} from './session-service.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const client = { userAgent: 'Mozilla/5.0', address: '192.168.1.7', isSecure: false };

let timeMs: number;
let store: Store;
let sessions: SessionService;
let touchErrors: unknown[];
beforeEach(async () => {
  timeMs = Date.parse('2026-11-02T09:30:00Z');
  store = await temporaryStore();
  touchErrors = [];
  sessions = createSessionService({
    sessions: store.sessions,
    onTouchError: (error) => touchErrors.push(error),
    now: () => timeMs,
  });
});

const tokenOf = ({ token }: Pick<SessionSecrets, 'token'>) => {
  const parsed = parseSessionToken(token);
  if (parsed === undefined) throw new Error(`${token} is not a token`);
  return parsed;
};
const open = async (tokenId = 'owner') => (await sessions.open(tokenId, client)).secrets;
const use = (secrets: SessionSecrets, address = client.address) =>
  sessions.authenticate(tokenOf(secrets), secrets.cookie, address);
/** Uses the session, and takes a new cookie if there is one. */
const renew = async (secrets: SessionSecrets): Promise<SessionSecrets> => {
  const session = await use(secrets);
  if (session === undefined) throw new Error('the session has ended');
  const cookie = await sessions.rotate(session, tokenOf(secrets), secrets.cookie);
  return cookie === undefined ? secrets : { ...secrets, cookie };
};

describe('a code', () => {
  it('opens one session for its token, before it expires', async () => {
    const { code, expiresAt } = await sessions.createCode('owner', minuteMs);
    expect(code).toMatch(/^[\w-]{32}$/);
    expect(expiresAt.getTime() - timeMs).toBe(minuteMs);
    expect(await sessions.takeCode(`${code}x`)).toBeUndefined();
    expect(await sessions.takeCode(code)).toBe('owner');
    expect(await sessions.takeCode(code)).toBeUndefined();
    const late = await sessions.createCode('owner', minuteMs);
    timeMs += minuteMs;
    expect(await sessions.takeCode(late.code)).toBeUndefined();
  });
});

describe('a session', () => {
  it('needs both secrets, of which the store has a hash only', async () => {
    const secrets = await open();
    const other = await open();
    expect(await use(secrets)).toMatchObject({ id: tokenOf(secrets).id, tokenId: 'owner' });
    expect(await use({ ...secrets, cookie: other.cookie })).toBeUndefined();
    expect(await use({ ...secrets, cookie: '' })).toBeUndefined();
    const mixed = `${secrets.token.slice(0, -32)}${other.token.slice(-32)}`;
    expect(await use({ ...secrets, token: mixed })).toBeUndefined();
    expect(await use(secrets)).toBeDefined();
    const stored = JSON.stringify(await store.sessions.list());
    for (const secret of [secrets.cookie, secrets.token.slice(-32)]) {
      expect(stored).not.toContain(secret);
    }
  });

  it('ends 30 days after its last use', async () => {
    const secrets = await open();
    timeMs += 30 * dayMs - 1;
    expect(await use(secrets)).toBeDefined();
    timeMs += 30 * dayMs - 1;
    expect(await use(secrets)).toBeDefined();
    timeMs += 30 * dayMs;
    expect(await use(secrets)).toBeUndefined();
    expect(await sessions.list()).toEqual([]);
    await open();
    expect(await store.sessions.list()).toHaveLength(1);
  });

  it('records its last use to the minute, and each new address', async () => {
    const secrets = await open();
    const { id } = tokenOf(secrets);
    timeMs += minuteMs - 1;
    await use(secrets);
    expect((await sessions.find(id))?.lastUsedAt.getTime()).toBe(timeMs - minuteMs + 1);
    await use(secrets, '10.0.0.2');
    expect(await sessions.find(id)).toMatchObject({
      address: '10.0.0.2',
      lastUsedAt: new Date(timeMs),
    });
  });

  it('works although its use cannot be recorded', async () => {
    const secrets = await open();
    const failing = createSessionService({
      sessions: { ...store.sessions, touch: () => Promise.reject(new Error('disk full')) },
      onTouchError: (error) => touchErrors.push(error),
      now: () => timeMs,
    });
    timeMs += minuteMs;
    expect(
      await failing.authenticate(tokenOf(secrets), secrets.cookie, client.address),
    ).toBeDefined();
    expect(touchErrors).toEqual([new Error('disk full')]);
  });

  it('makes room for a new one of its token if it was unused for longest', async () => {
    const other = await open('other');
    const all: SessionSecrets[] = [];
    for (let count = 0; count < 50; count += 1) {
      timeMs += minuteMs;
      all.push(await open());
    }
    const [first = other, second = other] = all;
    timeMs += minuteMs;
    await use(first);
    await open();
    expect(await sessions.list('owner')).toHaveLength(50);
    expect(await use(first)).toBeDefined();
    expect(await use(second)).toBeUndefined();
    expect(await use(other)).toBeDefined();
  });
});

describe('the rotation of the cookie', () => {
  it('replaces it each hour, and ends the session when a replaced one is used', async () => {
    const first = await open();
    timeMs += 60 * minuteMs - 1;
    expect(await renew(first)).toBe(first);
    timeMs += 1;
    const second = await renew(first);
    expect(second.cookie).not.toBe(first.cookie);
    expect(await use(second)).toBeDefined();
    timeMs += minuteMs + 1;
    expect(await use(first)).toBeUndefined();
    expect(await use(second)).toBeUndefined();
  });

  it('lets requests of other tabs arrive with the previous one for a minute', async () => {
    const first = await open();
    timeMs += 60 * minuteMs;
    const second = await renew(first);
    await use(second);
    timeMs += minuteMs;
    expect(await renew(first)).toBe(first);
    expect(await use(second)).toBeDefined();
  });

  it('gives one of two tabs at once a new cookie, which both can use', async () => {
    const first = await open();
    timeMs += 60 * minuteMs;
    const both = await Promise.all([renew(first), renew(first)]);
    const renewed = both.filter(({ cookie }) => cookie !== first.cookie);
    expect(renewed).toHaveLength(1);
    expect(await use(first)).toBeDefined();
    expect(await use(renewed[0] ?? first)).toBeDefined();
  });

  it('is repeated for a browser that did not receive the new one', async () => {
    const first = await open();
    timeMs += 60 * minuteMs;
    const lost = await renew(first);
    timeMs += dayMs;
    const second = await renew(first);
    expect(second.cookie).not.toBe(first.cookie);
    expect(await use(lost)).toBeUndefined();
    expect(await use(second)).toBeDefined();
  });
});

it('recognizes only the tokens of sessions', async () => {
  const { token } = await open();
  expect(parseSessionToken(token)).toBeDefined();
  for (const text of ['', 'hearth-3f9a0c51d2-0', `${token}x`, ` ${token}`]) {
    expect(parseSessionToken(text)).toBeUndefined();
  }
});

it('lists the sessions of a token, and revokes them', async () => {
  const first = tokenOf(await open());
  timeMs += 1;
  const second = tokenOf(await open());
  await open('other');
  expect((await sessions.list('owner')).map(({ id }) => id)).toEqual([second.id, first.id]);
  expect(await sessions.revoke(first.id)).toBe(true);
  expect(await sessions.revoke(first.id)).toBe(false);
  expect(await sessions.find(first.id)).toBeUndefined();
  expect(await sessions.list()).toHaveLength(2);
});
