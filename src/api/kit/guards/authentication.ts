import { ownerId } from '../../../access/owner-token.ts';
import type { Authentication, TokenService } from '../../../access/token-service.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { anonymousPrincipal, tokenPrincipal, type Principal } from './principal.ts';

export type Authenticator = Pick<TokenService, 'authenticate'>;

/** The headers that may have a token. */
interface Credentials {
  readonly authorization: string | undefined;
  /** `x-api-key`, as clients of Anthropic send it. */
  readonly apiKey: string | undefined;
}

/**
 * Identifies the principal of a request. Null: a token is required and missing; endpoints without a permission
 * still respond. An invalid token of this server is an error even if none is required.
 */
export async function identify(
  authenticator: Authenticator,
  credentials: Credentials,
  isTokenRequired: boolean,
): Promise<Principal | HearthError | null> {
  const authentication = await authenticate(authenticator, credentials);
  switch (authentication.kind) {
    case 'none':
      return isTokenRequired ? null : anonymousPrincipal;
    case 'token': {
      const { id, name, permissions, expiresAt } = authentication.token;
      if (id === ownerId) {
        return { tokenId: id, permissions, identity: { type: 'owner', id, name, expiresAt } };
      }
      return tokenPrincipal(authentication.token);
    }
    case 'session': {
      const { id, expiresAt } = authentication.session;
      return {
        // The page keeps its conversations when its session ends, and shares them with the owner's commands.
        tokenId: isTokenRequired ? ownerId : null,
        permissions: ['admin'],
        identity: { type: 'session', id, name: null, expiresAt },
      };
    }
    case 'invalid':
      // Clients of other servers send arbitrary keys; if no token is required, they are ignored.
      if (authentication.reason === 'malformed' && !isTokenRequired) return anonymousPrincipal;
      return new HearthError('invalid_api_key', describeRefusal(authentication));
  }
}

/** Of two headers the one with a token of this server counts, `Authorization` first. */
async function authenticate(
  authenticator: Authenticator,
  { authorization, apiKey }: Credentials,
): Promise<Authentication> {
  const now = new Date();
  const first = await authenticator.authenticate(authorization, now);
  const isForeign =
    first.kind === 'none' || (first.kind === 'invalid' && first.reason === 'malformed');
  if (!isForeign || apiKey === undefined) return first;
  const second = await authenticator.authenticate(`Bearer ${apiKey}`, now);
  const isSecondForeign = second.kind === 'invalid' && second.reason === 'malformed';
  return isSecondForeign && first.kind === 'invalid' ? first : second;
}

function describeRefusal({
  reason,
  masked,
}: Extract<Authentication, { readonly kind: 'invalid' }>): string {
  const reasons = {
    malformed: 'is not one of this server; the header has the form "Authorization: Bearer <token>"',
    unknown: 'is unknown or revoked',
    expired: 'has expired',
  };
  if (reason === 'ended') return 'The session has ended. `hearth open` starts a new one.';
  return `The token ${JSON.stringify(masked)} ${reasons[reason]}. \`hearth token create\` makes a new one.`;
}
