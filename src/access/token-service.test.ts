import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../telemetry/logger.ts';
import { createSqliteStore } from '../store/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { createTokenService, type TokenService } from './token-service.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

const now = new Date('2026-11-21T10:00:00Z');
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);

let folder: string;
let store: Store;
let service: TokenService;
let touchErrors: unknown[];
beforeEach(async () => {
  folder = await temporaryFolder();
  const file = join(folder, 'hearth.db');
  store = await createSqliteStore({ file, logger: createLogger('silent') });
  touchErrors = [];
  service = serviceOn(store.tokens);
});
afterEach(async () => {
  await store.close();
});

const serviceOn = (tokens: Store['tokens']) =>
  createTokenService({ tokens, onTouchError: (error) => touchErrors.push(error) });

describe('create', () => {
  // covers auth-8
  it('creates a token that authenticates, and stores only its hash', async () => {
    const { record, token } = await service.create({ name: 'laptop', permissions: ['chat'] });
    expect(token).toMatch(new RegExp(`^hearth-${record.id}-[0-9a-f]{48}$`));
    expect(record).toMatchObject({ name: 'laptop', permissions: ['chat'], expiresAt: null });
    expect(JSON.stringify(await service.list())).not.toContain(token.slice(-48));
    expect(await service.authenticate(token, now)).toEqual({
      kind: 'token',
      token: record,
    });
  });

  it('never creates the same token twice', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () => service.create({ name: 'same', permissions: [] })),
    );
    expect(new Set(tokens.map(({ token }) => token.slice(-48))).size).toBe(20);
  });
});

describe('authenticate', () => {
  it.each([
    '',
    'sk-abcdef0123456789',
    `hearth-0123456789-${'A'.repeat(48)}`,
    `hearth-0123456789-${'a'.repeat(48)}\n`,
    `hearth-' or 1=1-${'a'.repeat(48)}`,
    `x hearth-0123456789-${'a'.repeat(48)}`,
    'a '.repeat(10_000),
  ])('reports %j as malformed without revealing it', async (text) => {
    expect(await service.authenticate(text, now)).toEqual({
      kind: 'invalid',
      reason: 'malformed',
      masked: '…',
    });
  });

  it('rejects an unknown id, a wrong secret and a revoked token with the same result', async () => {
    const { record, token } = await service.create({ name: 'a', permissions: [] });
    const refusal = { kind: 'invalid', reason: 'unknown' };
    const wrongId = `hearth-${'0'.repeat(10)}-${token.slice(-48)}`;
    const wrongSecret = `hearth-${record.id}-${'0'.repeat(48)}`;
    expect(await service.authenticate(wrongId, now)).toMatchObject(refusal);
    expect(await service.authenticate(wrongSecret, now)).toEqual({
      ...refusal,
      masked: `hearth-${record.id.slice(0, 4)}…`,
    });
    expect(await store.tokens.delete(record.id)).toBe(true);
    expect(await store.tokens.delete(record.id)).toBe(false);
    expect(await service.authenticate(token, now)).toMatchObject(refusal);
  });

  it('rejects a token once it has expired', async () => {
    const { token } = await service.create({ name: 'a', permissions: [], expiresAt: now });
    expect(await service.authenticate(token, later(-1))).toMatchObject({
      kind: 'token',
    });
    expect(await service.authenticate(token, now)).toMatchObject({
      kind: 'invalid',
      reason: 'expired',
    });
  });

  it('records the last use once a minute', async () => {
    const { record, token } = await service.create({ name: 'a', permissions: [] });
    const lastUse = async (milliseconds: number) => {
      await service.authenticate(token, later(milliseconds));
      return (await store.tokens.find(record.id))?.lastUsedAt;
    };
    expect(await lastUse(0)).toEqual(now);
    expect(await lastUse(59_999)).toEqual(now);
    expect(await lastUse(60_000)).toEqual(later(60_000));
  });

  it('authenticates a token although its last use cannot be recorded', async () => {
    const failure = new Error('disk is full');
    const full = serviceOn({ ...store.tokens, touch: () => Promise.reject(failure) });
    const { token } = await full.create({ name: 'a', permissions: [] });
    expect(await full.authenticate(token, now)).toMatchObject({ kind: 'token' });
    expect(touchErrors).toEqual([failure]);
  });
});
