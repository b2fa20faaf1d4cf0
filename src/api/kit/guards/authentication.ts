import { ownerId } from '../../../access/authenticator.ts';
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
  const texts = sentTokens(credentials);
  if (texts.length === 0) return isTokenRequired ? null : anonymousPrincipal;
  const authentication = await authenticate(authenticator, texts);
  switch (authentication.kind) {
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

/** The tokens of both headers, `Authorization` (`Bearer`, RFC 6750) first; empty text for one of another form. */
function sentTokens({ authorization, apiKey }: Credentials): readonly string[] {
  const texts: string[] = [];
  if (authorization !== undefined) texts.push(/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
  if (apiKey !== undefined) texts.push(/^ *(\S+) *$/.exec(apiKey)?.[1] ?? '');
  return texts;
}

/** The first token of this server counts; if there is none, the first one is refused. */
async function authenticate(
  authenticator: Authenticator,
  texts: readonly string[],
): Promise<Authentication> {
  const now = new Date();
  let foreign: Authentication | undefined;
  for (const text of texts) {
    const result = await authenticator.authenticate(text, now);
    if (result.kind !== 'invalid' || result.reason !== 'malformed') return result;
    foreign ??= result;
  }
  return foreign ?? { kind: 'invalid', reason: 'malformed', masked: '…' };
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
