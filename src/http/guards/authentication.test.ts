import { describe, expect, it } from 'vitest';
import type { Authentication } from '../../access/token-service.ts';
import { identify } from './authentication.ts';

const identifyAs = (authentication: Authentication, isTokenRequired: boolean) =>
  identify({ authenticate: async () => authentication }, 'Bearer x', isTokenRequired);

describe.each([true, false])('with tokens required: %s', (isTokenRequired) => {
  it.each([
    [
      'unknown',
      'The token "hearth-ab…" is unknown or revoked. `hearth token create` makes a new one.',
    ],
    ['expired', 'The token "hearth-ab…" has expired. `hearth token create` makes a new one.'],
  ] as const)('refuses a token that is %s, and says why', async (reason, message) => {
    const refused = await identifyAs(
      { kind: 'invalid', reason, masked: 'hearth-ab…' },
      isTokenRequired,
    );
    expect(refused).toMatchObject({ code: 'invalid_api_key', message });
  });
});

it('refuses a header of another form only where a token is required', async () => {
  const malformed = { kind: 'invalid', reason: 'malformed', masked: '…' } as const;
  expect(await identifyAs(malformed, true)).toMatchObject({
    code: 'invalid_api_key',
    message:
      'The token "…" is not one of this server; the header has the form "Authorization: Bearer <token>". `hearth token create` makes a new one.',
  });
  expect(await identifyAs(malformed, false)).toMatchObject({ tokenId: null });
});
