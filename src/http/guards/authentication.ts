import type { Authentication, TokenService } from '../../access/token-service.ts';
import { HearthError } from '../../contract/errors.ts';
import { anonymousPrincipal, type Principal } from './principal.ts';

export type Authenticator = Pick<TokenService, 'authenticate'>;

/**
 * Identifies the principal of a request. Null: a token is required and missing; endpoints without a permission
 * still respond. An invalid token of this server is an error even if none is required.
 */
export async function identify(
  authenticator: Authenticator,
  authorization: string | undefined,
  isTokenRequired: boolean,
): Promise<Principal | HearthError | null> {
  const authentication = await authenticator.authenticate(authorization, new Date());
  switch (authentication.kind) {
    case 'none':
      return isTokenRequired ? null : anonymousPrincipal;
    case 'token':
      return { tokenId: authentication.token.id, permissions: authentication.token.permissions };
    case 'invalid':
      // Clients of other servers send arbitrary keys; if no token is required, they are ignored.
      if (authentication.reason === 'malformed' && !isTokenRequired) return anonymousPrincipal;
      return new HearthError('invalid_api_key', describeRefusal(authentication));
  }
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
  return `The token ${JSON.stringify(masked)} ${reasons[reason]}. \`hearth token create\` makes a new one.`;
}
