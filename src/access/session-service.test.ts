import { beforeEach, expect, it } from 'vitest';
import { createSessionService, type SessionService } from './session-service.ts';

let timeMs: number;
let sessions: SessionService;
beforeEach(() => {
  timeMs = Date.parse('2026-11-02T09:30:00Z');
  sessions = createSessionService({ now: () => timeMs });
});

const open = () => sessions.open(sessions.createLink().code);

it('opens one session for a code', () => {
  const { code, expiresAt } = sessions.createLink();
  expect(code).toMatch(/^[\w-]{43}$/);
  expect(expiresAt.getTime() - timeMs).toBe(60_000);
  const opened = sessions.open(code);
  expect(opened?.token).toMatch(/^hearth-session-[0-9a-f]{16}-[\w-]{43}$/);
  expect(sessions.authenticate(opened?.token ?? '')).toMatchObject({ id: opened?.session.id });
  expect(sessions.open(code)).toBeUndefined();
});

it.each(['', 'a', 'A'.repeat(43)])('rejects the code %j and keeps the others', (wrong) => {
  const { code } = sessions.createLink();
  expect(sessions.open(wrong)).toBeUndefined();
  expect(sessions.open(code)).toBeDefined();
});

it('forgets a code after a minute', () => {
  const { code } = sessions.createLink();
  timeMs += 60_000;
  expect(sessions.open(code)).toBeUndefined();
});

it('keeps the latest 16 codes', () => {
  const codes = Array.from({ length: 17 }, () => sessions.createLink().code);
  expect(codes.map((code) => sessions.open(code) !== undefined)).toEqual([
    false,
    ...Array.from({ length: 16 }, () => true),
  ]);
});

it('ends a session after 12 hours without a request', () => {
  const { token = '' } = open() ?? {};
  timeMs += 12 * 3600_000 - 1;
  expect(sessions.authenticate(token)).toMatchObject({ lastUsedAt: new Date(timeMs) });
  timeMs += 12 * 3600_000 - 1;
  expect(sessions.authenticate(token)).toBeDefined();
  timeMs += 12 * 3600_000;
  expect(sessions.list()).toEqual([]);
  expect(sessions.authenticate(token)).toBeUndefined();
});

it('lists sessions without their secrets, and revokes them', () => {
  const first = open();
  timeMs += 1000;
  const second = open();
  sessions.authenticate(first?.token ?? '');
  expect(sessions.list().map(({ id }) => id)).toEqual([first?.session.id, second?.session.id]);
  expect(JSON.stringify(sessions.list())).not.toContain(first?.token.slice(-43));
  expect(sessions.isValid(first?.session.id ?? '')).toBe(true);
  expect(sessions.revoke(first?.session.id ?? '')).toBe(true);
  expect(sessions.isValid(first?.session.id ?? '')).toBe(false);
  expect(sessions.revoke(first?.session.id ?? '')).toBe(false);
  expect(sessions.authenticate(first?.token ?? '')).toBeUndefined();
});

it('recognizes only the tokens of sessions', () => {
  const { token = '' } = open() ?? {};
  expect(sessions.authenticate('hearth-3f9a0c51d2-0')).toBe('foreign');
  expect(sessions.authenticate(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe(
    undefined,
  );
  expect(sessions.authenticate(`${token}x`)).toBe('foreign');
});

it('ends the session that was unused for longest when there are too many', () => {
  const tokens = Array.from({ length: 100 }, () => open()?.token ?? '');
  sessions.authenticate(tokens[0] ?? '');
  open();
  expect(sessions.list()).toHaveLength(100);
  expect(sessions.authenticate(tokens[0] ?? '')).toBeDefined();
  expect(sessions.authenticate(tokens[1] ?? '')).toBeUndefined();
});
