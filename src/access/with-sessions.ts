import type { SessionService } from './session-service.ts';
import type { TokenService } from './token-service.ts';

/** Accepts the tokens of sessions in addition to the others. */
export function withSessions(
  tokens: Pick<TokenService, 'authenticate'>,
  sessions: Pick<SessionService, 'authenticate'>,
): Pick<TokenService, 'authenticate'> {
  return {
    async authenticate(authorizationHeader, now) {
      const text = /^Bearer +(\S+) *$/i.exec(authorizationHeader ?? '')?.[1];
      const session = text === undefined ? 'foreign' : sessions.authenticate(text);
      if (session === 'foreign') return tokens.authenticate(authorizationHeader, now);
      if (session === undefined) {
        return { kind: 'invalid', reason: 'ended', masked: 'hearth-session-…' };
      }
      return { kind: 'session', session };
    },
  };
}
