import { HearthError } from '../../contract/errors.ts';
import type { Permission } from '../../contract/permission.ts';

/** Who makes a request and what they may do. */
export interface Principal {
  /** Null where the server asks for no token and none was given. */
  readonly tokenId: string | null;
  readonly permissions: readonly Permission[];
}

/**
 * The caller without a token, where none is required. Plugins run programs, so they always need one;
 * `admin` would let a caller mint such a token.
 */
export const anonymousPrincipal: Principal = {
  tokenId: null,
  permissions: ['chat', 'embeddings', 'models:read', 'models:write', 'ephemeral-mcp'],
};

/** `admin` implies every other permission. */
export function permits(principal: Principal, permission: Permission): boolean {
  return principal.permissions.includes(permission) || principal.permissions.includes('admin');
}

/** The caller, where they may use an endpoint that asks for `permission`; null asks for nothing. */
export function authorize(
  principal: Principal | null,
  permission: Permission | null,
): Principal | HearthError {
  if (permission === null) return principal ?? { tokenId: null, permissions: [] };
  if (principal === null) {
    return new HearthError(
      'invalid_api_key',
      'This server requires a token. Send it as "Authorization: Bearer <token>"; `hearth token create` makes one.',
    );
  }
  if (permits(principal, permission)) return principal;
  const lacking = `the permission "${permission}"`;
  return new HearthError(
    'forbidden',
    principal.tokenId === null
      ? `This endpoint needs a token with ${lacking}.`
      : `The token lacks ${lacking}; it has: ${principal.permissions.join(', ') || 'none'}.`,
  );
}
