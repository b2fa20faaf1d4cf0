import type { Logger } from '../observability/logger.ts';
import type { RequestContext } from '../request/request-context.ts';
import { permits } from './guards/principal.ts';
import type { RouteRequest } from './mount.ts';

/** The context of a request, for the rooms below. */
export function toRequestContext(
  {
    requestId,
    signal,
    principal,
    caller,
  }: Pick<RouteRequest<unknown>, 'requestId' | 'signal' | 'principal' | 'caller'>,
  logger: Logger,
): RequestContext {
  return {
    requestId,
    logger: logger.child({ requestId }),
    signal,
    caller: {
      tokenId: principal.tokenId,
      clientKey: caller,
      hasPermission: (permission) => permits(principal, permission),
    },
  };
}
