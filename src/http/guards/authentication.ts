import type { Authentication, TokenService } from '../../access/token-service.ts';
import { HearthError } from '../../contract/errors.ts';
import { anonymousPrincipal, type Principal } from './principal.ts';

export type Authenticator = Pick<TokenService, 'authenticate'>;

/**
 * Who makes the request: null for nobody where a token is required (the endpoints without a permission
 * still answer); an error for a token of this server that is not valid, required or not.
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
      // Clients of other servers send any word as a key; where none is needed, it counts as none.
      if (authentication.reason === 'malformed' && !isTokenRequired) return anonymousPrincipal;
      return new HearthError('invalid_api_key', describeRefusal(authentication));
  }
}

function describeRefusal({
  reason,
  masked,
}: Extract<Authentication, { readonly kind: 'invalid' }>): string {
  const faults = {
    malformed: 'is not one of this server; the header has the form "Authorization: Bearer <token>"',
    unknown: 'is unknown or revoked',
    expired: 'has expired',
  };
  return `The token ${JSON.stringify(masked)} ${faults[reason]}. \`hearth token create\` makes a new one.`;
}
