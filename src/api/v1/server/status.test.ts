import { expect, it } from 'vitest';
import { createTestApp } from '../../../../test/setup/http/test-app.ts';
import { createAuthenticator } from '../../../access/authenticator.ts';
import type { Permission } from '../../../kernel/permission.ts';
import type { ApiServices } from '../../services.ts';
import { mountStopServer } from './status.ts';
import { noLimits } from '../../../store/shared/rate-limit-repository.ts';

const ownerToken = 'hearth-owner-secret';

/** Sends a stop request with a token. All other tokens of the server have every permission. */
async function stopWith(authorization?: string) {
  let stops = 0;
  const server = { pid: 4711, stop: () => (stops += 1) };
  const token = {
    id: 'token1',
    name: 'admin',
    permissions: ['admin'] satisfies Permission[],
    secretHash: '',
    createdAt: new Date(0),
    expiresAt: null,
    lastUsedAt: null,
    rateLimits: noLimits,
    modelScope: null,
    priority: 'normal' as const,
  };
  const { app } = createTestApp({
    authenticator: createAuthenticator({
      tokens: { authenticate: async () => ({ kind: 'token', token }), find: async () => token },
      sessions: { authenticate: async () => undefined, rotate: async () => undefined },
      ownerToken,
    }),
    v1Routes: (target) => mountStopServer(target, { server } as unknown as ApiServices),
  });
  const headers = { host: '127.0.0.1', ...(authorization && { authorization }) };
  const answer = await app.request('/api/v1/server/stop', { method: 'POST', headers });
  return { status: answer.status, body: await answer.json(), stops };
}

it('stops the server for the owner of the home folder', async () => {
  expect(await stopWith(`Bearer ${ownerToken}`)).toEqual({
    status: 200,
    body: { pid: 4711, stopping: true },
    stops: 1,
  });
});

it.each([undefined, 'Bearer hearth-admin', `Bearer ${ownerToken}x`])(
  'refuses %j, even with the permission admin',
  async (authorization) => {
    expect(await stopWith(authorization)).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
      stops: 0,
    });
  },
);
