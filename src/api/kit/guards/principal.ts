import { HearthError } from '../../../kernel/errors/errors.ts';
import type { ModelScope } from '../../../kernel/model-scope.ts';
import type { Permission } from '../../../kernel/permission.ts';
import type { Caller, CallerIdentity } from '../../../kernel/request/request-context.ts';
import type { RateLimits } from '../../../store/shared/rate-limit-repository.ts';
import type { StoredToken, TokenRepository } from '../../../store/store.ts';
import {
  ownerId as homeOwner,
  type Authenticator,
  type BrowserRequest,
} from '../../../access/authenticator.ts';
import { expiryOf } from '../../../access/session-service.ts';
import { parse } from 'hono/utils/cookie';
import ipaddr from 'ipaddr.js';
import { isIPv4 } from 'node:net';
import {
  withIdlePriority,
  type Priority,
  withPriority,
} from '../../../kernel/concurrency/fair-queue.ts';
import type { RequestRecord } from '../../../kernel/request/request-record.ts';
import type { Authentication } from '../../../access/token-service.ts';

/** The sender of a request and its permissions. */
export interface Principal {
  /** Null if no token is required and the request has none, or has a session. */
  readonly tokenId: string | null;
  /** Absent for an anonymous caller. */
  readonly identity?: CallerIdentity;
  readonly permissions: readonly Permission[];
  /** The token's own limits; absent for other callers. */
  readonly rateLimits?: RateLimits | undefined;
  /** The models that the caller may use; all if absent. */
  readonly modelScope?: ModelScope;
  /** `normal` if absent. */
  readonly priority?: Priority;
}

/**
 * The principal of requests without a token, if none is required. Plugins always require a token, since they run
 * programs; so does `admin`, which can create tokens.
 */
export const anonymousPrincipal: Principal = {
  tokenId: null,
  permissions: ['chat', 'embeddings', 'models:read', 'models:write', 'ephemeral-mcp', 'metrics'],
};

/** The principal of a valid token, except the home folder owner's token. */
export function tokenPrincipal({
  id,
  name,
  permissions,
  expiresAt,
  rateLimits,
  modelScope,
  priority,
}: StoredToken): Principal {
  const identity = { type: 'token', id, tokenId: id, name, expiresAt } as const;
  return { tokenId: id, permissions, identity, rateLimits, modelScope, priority };
}

/** `admin` implies every other permission. */
export function permits(principal: Principal, permission: Permission): boolean {
  return principal.permissions.includes(permission) || principal.permissions.includes('admin');
}

/** Returns the principal if it has the permission, or one of several; null requires none. */
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
  for (const each of sufficient) if (permits(principal, each)) return principal;
  const lacking = `the permission ${sufficient.map((each) => `"${each}"`).join(' or ')}`;
  return new HearthError(
    'forbidden',
    principal.tokenId === null
      ? `This endpoint needs a token with ${lacking}.`
      : `The token lacks ${lacking}; it has: ${principal.permissions.join(', ') || 'none'}.`,
  );
}

/**
 * The principal of work that the server does for an owner; undefined if the owner's token was revoked or has expired.
 */
export async function principalOf(
  tokens: Pick<TokenRepository, 'find'>,
  ownerId: string | null,
  isTokenRequired: boolean,
): Promise<Principal | undefined> {
  if (ownerId === null) return isTokenRequired ? undefined : anonymousPrincipal;
  if (ownerId === homeOwner) return { tokenId: ownerId, permissions: ['admin'] };
  const token = await tokens.find(ownerId);
  if (token === undefined || (token.expiresAt !== null && token.expiresAt <= new Date())) {
    return undefined;
  }
  return tokenPrincipal(token);
}

/** IPv6 customers get networks of at least this prefix length (RFC 6177), and can use any address in them. */
const ipv6NetworkBits = 64;

/**
 * Converts the principal of a request for the rest of the server.
 *
 * @param options.isLast True if its requests have the lowest priority.
 */
export function toCaller(
  principal: Principal,
  remoteAddress: string | undefined,
  {
    isLast = false,
    isLinked = false,
  }: { readonly isLast?: boolean; readonly isLinked?: boolean } = {},
): Caller {
  const { tokenId } = principal;
  // The token, or else the address. Addresses that one client can switch between share a key.
  const clientKey = tokenId === null ? `address ${networkOf(remoteAddress)}` : `token ${tokenId}`;
  return {
    tokenId,
    identity: principal.identity,
    address: networkAddress(remoteAddress),
    isLinked,
    clientKey: isLast
      ? withIdlePriority(clientKey)
      : withPriority(clientKey, principal.priority ?? 'normal'),
    modelScope: principal.modelScope ?? null,
    hasPermission: (permission) => permits(principal, permission),
  };
}

/** The token of a request or of its session; null if it has none. */
export function toRecordedCaller({ tokenId, identity }: Principal): RequestRecord['caller'] {
  const id = identity?.tokenId ?? tokenId;
  return id === null ? null : { tokenId: id, name: identity?.name ?? id };
}

/** A dual-stack socket reports IPv4 clients as ::ffff:192.0.2.1. */
function networkAddress(address = ''): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  return ipaddr.process(address).toString();
}

function networkOf(address = 'unknown'): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, ipv6NetworkBits / 16);
  return `${network.map((part) => part.toString(16)).join(':')}::/${ipv6NetworkBits}`;
}

/** Parts of a request that identify its sender. */
export interface Credentials {
  readonly authorization: string | undefined;
  /** Value of `x-api-key`, which clients of Anthropic send. */
  readonly apiKey: string | undefined;
  readonly cookie: string | undefined;
  readonly address: string | undefined;
}

/**
 * Identifies the principal of a request. Null if a token is required but missing; endpoints without a permission still
 * respond then. A token of this server that is invalid is an error even if none is required.
 */
export async function identify(
  authenticator: Authenticator,
  credentials: Credentials,
  isTokenRequired: boolean,
): Promise<Principal | HearthError | null> {
  if (credentials.authorization === undefined && credentials.apiKey === undefined) {
    return isTokenRequired ? null : anonymousPrincipal;
  }
  const authentication = await authenticate(authenticator, sentTokens(credentials), {
    cookie: (name) => parse(credentials.cookie ?? '', name)[name] ?? '',
    address: networkAddress(credentials.address),
  });
  switch (authentication.kind) {
    case 'token': {
      const { id, name, permissions, expiresAt } = authentication.token;
      if (id === homeOwner) {
        const identity = { type: 'owner', id, tokenId: id, name, expiresAt } as const;
        return { tokenId: id, permissions, identity };
      }
      return tokenPrincipal(authentication.token);
    }
    case 'session': {
      const { session, token, rotate } = authentication;
      const { id, tokenId } = session;
      const ends = [expiryOf(session), token.expiresAt ?? []].flat();
      const expiresAt = new Date(Math.min(...ends.map((end) => end.getTime())));
      const isOwner = tokenId === homeOwner;
      const name = isOwner ? null : token.name;
      return {
        ...tokenPrincipal(token),
        // If no token is required, the owner's commands and pages share the conversations of all callers without a
        // token.
        ...(isOwner && { tokenId: isTokenRequired ? homeOwner : null, rateLimits: undefined }),
        identity: { type: 'session', id, tokenId, name, expiresAt, rotate },
      };
    }
    case 'invalid':
      // Clients may send arbitrary keys of other servers, which are ignored if no token is required.
      if (authentication.reason === 'malformed' && !isTokenRequired) return anonymousPrincipal;
      return new HearthError('invalid_api_key', describeRefusal(authentication));
  }
}

/**
 * The tokens of the headers `Authorization` (`Bearer`, RFC 6750) and then `x-api-key`; an empty string for a malformed
 * header.
 */
function sentTokens({ authorization, apiKey }: Credentials): readonly string[] {
  const texts: string[] = [];
  if (authorization !== undefined) texts.push(/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
  if (apiKey !== undefined) texts.push(/^ *(\S+) *$/.exec(apiKey)?.[1] ?? '');
  return texts;
}

/** Uses the first token of this server. If there is none, refuses the first token. */
async function authenticate(
  authenticator: Authenticator,
  texts: readonly string[],
  browser: BrowserRequest,
): Promise<Authentication> {
  const now = new Date();
  let foreign: Authentication | undefined;
  for (const text of texts) {
    const result = await authenticator.authenticate(text, now, browser);
    if (result.kind !== 'invalid' || result.reason !== 'malformed') return result;
    foreign ??= result;
  }
  return foreign ?? { kind: 'invalid', reason: 'malformed', masked: '…' };
}

/** Explains why a token or session is refused, with a remedy. */
export function describeRefusal({
  reason,
  masked,
}: Pick<Extract<Authentication, { readonly kind: 'invalid' }>, 'reason' | 'masked'>): string {
  const reasons = {
    malformed: 'is not one of this server; the header has the form "Authorization: Bearer <token>"',
    unknown: 'is unknown or revoked',
    expired: 'has expired',
  };
  if (reason === 'ended')
    return 'The session has ended, or was ended on another device. Sign in again, or run `hearth open`.';
  return `The token ${JSON.stringify(masked)} ${reasons[reason]}. \`hearth token create\` makes a new one.`;
}
