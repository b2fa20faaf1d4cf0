import { describe, expect, it } from 'vitest';
import { permissionSchema } from '../../../kernel/permission.ts';
import { anonymousPrincipal, authorize, permits } from './principal.ts';

it('lets an anonymous caller do what runs no program and changes no token', () => {
  expect(permissionSchema.options.filter((each) => permits(anonymousPrincipal, each))).toEqual([
    'chat',
    'embeddings',
    'models:read',
    'models:write',
    'ephemeral-mcp',
    'metrics',
  ]);
});

describe('an endpoint', () => {
  it('that needs no permission gives a caller without a token none', () => {
    expect(authorize(null, null)).toEqual({ tokenId: null, permissions: [] });
    expect(authorize(anonymousPrincipal, null)).toBe(anonymousPrincipal);
  });

  it('refuses a request without a token, and names the way to one', () => {
    expect(authorize(null, 'chat')).toMatchObject({
      code: 'invalid_api_key',
      message:
        'This server requires a token. Send it as "Authorization: Bearer <token>"; `hearth token create` makes one.',
    });
  });

  it('with several permissions needs one of them', () => {
    const principal = { tokenId: 't', permissions: ['models:read'] } as const;
    expect(authorize(principal, ['chat', 'models:read'])).toBe(principal);
    expect(authorize(principal, ['chat', 'embeddings'])).toMatchObject({
      message: 'The token lacks the permission "chat" or "embeddings"; it has: models:read.',
    });
  });

  it.each([
    [anonymousPrincipal, 'This endpoint needs a token with the permission "admin".'],
    [
      { tokenId: 't', permissions: ['chat', 'models:read'] },
      'The token lacks the permission "admin"; it has: chat, models:read.',
    ],
    [{ tokenId: 't', permissions: [] }, 'The token lacks the permission "admin"; it has: none.'],
  ] as const)('names the permission that %o lacks', (principal, message) => {
    expect(authorize(principal, 'admin')).toMatchObject({ code: 'forbidden', message });
  });
});
