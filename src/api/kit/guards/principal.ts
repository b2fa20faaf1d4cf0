import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Permission } from '../../../kernel/permission.ts';
import type { CallerIdentity } from '../../../telemetry/request-context.ts';
import type { RateLimits } from '../../../store/shared/rate-limit-repository.ts';
import type { StoredToken } from '../../../store/store.ts';

/** The sender of a request and its permissions. */
export interface Principal {
  /** Null if the server requires no token and the request has none, or that of a session. */
  readonly tokenId: string | null;
  /** Absent for an anonymous caller. */
  readonly identity?: CallerIdentity;
  readonly permissions: readonly Permission[];
  /** Own limits of a token; absent for callers that have none. */
  readonly rateLimits?: RateLimits;
}

/**
 * The principal without a token, if none is required. Plugins run programs, so they always require a token, and so
 * does `admin`, which can create tokens.
 */
export const anonymousPrincipal: Principal = {
  tokenId: null,
  permissions: ['chat', 'embeddings', 'models:read', 'models:write', 'ephemeral-mcp', 'metrics'],
};

/** The principal of a valid token, other than that of the owner of the home folder. */
export function tokenPrincipal({
  id,
  name,
  permissions,
  expiresAt,
  rateLimits,
}: StoredToken): Principal {
  return { tokenId: id, permissions, identity: { type: 'token', id, name, expiresAt }, rateLimits };
}

/** `admin` implies every other permission. */
export function permits(principal: Principal, permission: Permission): boolean {
  return principal.permissions.includes(permission) || principal.permissions.includes('admin');
}

/** Returns the principal if it may use an endpoint with this permission, or one of these; null requires none. */
export function authorize(
  principal: Principal | null,
  permission: Permission | readonly Permission[] | null,
): Principal | HearthError {
  if (permission === null) return principal ?? { tokenId: null, permissions: [] };
  if (principal === null) {
    return new HearthError(
      'invalid_api_key',
      'This server requires a token. Send it as "Authorization: Bearer <token>"; `hearth token create` makes one.',
    );
  }
  const sufficient = [permission].flat();
  if (sufficient.some((each) => permits(principal, each))) return principal;
  const lacking = `the permission ${sufficient.map((each) => `"${each}"`).join(' or ')}`;
  return new HearthError(
    'forbidden',
    principal.tokenId === null
      ? `This endpoint needs a token with ${lacking}.`
      : `The token lacks ${lacking}; it has: ${principal.permissions.join(', ') || 'none'}.`,
  );
}
