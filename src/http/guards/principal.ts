import { HearthError } from '../../contract/errors.ts';
import type { Permission } from '../../contract/permission.ts';
import type { CallerIdentity } from '../../request/request-context.ts';

/** The sender of a request and its permissions. */
export interface Principal {
  /** Null if the server requires no token and the request has none, or that of a session. */
  readonly tokenId: string | null;
  /** Absent for an anonymous caller. */
  readonly identity?: CallerIdentity;
  readonly permissions: readonly Permission[];
}

/**
 * The principal without a token, if none is required. Plugins run programs, so they always require a token, and so
 * does `admin`, which can create tokens.
 */
export const anonymousPrincipal: Principal = {
  tokenId: null,
  permissions: ['chat', 'embeddings', 'models:read', 'models:write', 'ephemeral-mcp', 'metrics'],
};

/** `admin` implies every other permission. */
export function permits(principal: Principal, permission: Permission): boolean {
  return principal.permissions.includes(permission) || principal.permissions.includes('admin');
}

/** Returns the principal if it may use an endpoint with this permission; null requires none. */
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
