import type { MiddlewareHandler } from 'hono';
import type { Settings } from '../../../settings/settings-table.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { getHealth } from '../../monitoring/health-schema.ts';
import type { AppEnvironment } from '../app-environment.ts';
import { identify, type Authenticator } from './authentication.ts';
import { checkUrlLength } from './content.ts';
import {
  authorityOf,
  createHostGuard,
  originOf,
  createOriginGuard,
  preflightResponse,
} from './cross-site.ts';

export type GuardSettings = Pick<
  Settings,
  | 'server.host'
  | 'server.cors'
  | 'server.allowedHosts'
  | 'server.publicUrl'
  | 'auth.required'
  | 'limits.bodyBytes'
>;

/**
 * Checks every request before its endpoint handles it, cheapest checks first. `mount` then checks the permission, the type
 * and the body, with the principal and the limit that are set here.
 */
export function createGuards(
  settings: GuardSettings,
  authenticator: Authenticator,
): MiddlewareHandler<AppEnvironment> {
  const checkHost = createHostGuard({
    boundHost: settings['server.host'],
    allowedHosts: settings['server.allowedHosts'],
    publicUrl: settings['server.publicUrl'],
  });
  const classifyOrigin = createOriginGuard(settings['server.cors'], settings['server.publicUrl']);
  const bodyLimitBytes = settings['limits.bodyBytes'];

  return async (context, next) => {
    const { req } = context;
    const { method, url } = req;
    if (context.env.batchCaller !== undefined) {
      context.set('bodyLimitBytes', bodyLimitBytes);
      context.set('principal', context.env.batchCaller);
      return next();
    }
    const authority = authorityOf(url);
    refuse(checkHost(authority));

    const origin = classifyOrigin(req.header('origin'), originOf(url));
    if (origin.kind === 'foreign') throw origin.error;
    if (origin.kind === 'shared') {
      context.set('sharedOrigin', origin.origin);
      const isPreflight = req.header('access-control-request-method') !== undefined;
      if (method === 'OPTIONS' && isPreflight) {
        return preflightResponse(req.header('access-control-request-headers'));
      }
    }

    // A supervisor that checks /health must not kill a server that drains.
    if (context.env.isStopping === true && req.path !== getHealth.path) {
      throw new HearthError('shutting_down', 'The server is stopping.', { retryAfterSeconds: 5 });
    }
    refuse(checkUrlLength(url));
    const principal = await identify(
      authenticator,
      { authorization: req.header('authorization'), apiKey: req.header('x-api-key') },
      settings['auth.required'],
    );
    if (principal instanceof HearthError) throw principal;
    context.set('principal', principal);
    context.set('bodyLimitBytes', bodyLimitBytes);
    return next();
  };
}

function refuse(error: HearthError | undefined): void {
  if (error !== undefined) throw error;
}
