import * as z from 'zod';
import { classOf, type Priority, withinPriority } from '../../kernel/concurrency/fair-queue.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';

export const serviceTierSchema = z
  .enum(['auto', 'default', 'flex', 'priority', 'scale'])
  .nullish()
  .describe(
    'Place in the queue of the model: `flex` is the priority `background`, `default` at most `normal`; others are the priority of the token, which no request exceeds.',
  );
type ServiceTier = z.infer<typeof serviceTierSchema>;

export const servedTierSchema = z
  .enum(['default', 'flex', 'priority'])
  .exactOptional()
  .describe('The tier that served the request, if it names one.');

interface TieredRequest {
  readonly context: RequestContext;
  /** Field of the response; empty if the request has no tier. */
  readonly served: { readonly service_tier?: z.infer<typeof servedTierSchema> };
}

const bounds: Partial<Record<NonNullable<ServiceTier>, Priority>> = {
  flex: 'background',
  default: 'normal',
};
const servedTiers = {
  interactive: 'priority',
  normal: 'default',
  background: 'flex',
  idle: 'flex',
} as const;

/** Returns the context with the requested priority, limited to the caller's priority. */
export function withServiceTier(context: RequestContext, tier: ServiceTier): TieredRequest {
  if (tier == null) return { context, served: {} };
  const clientKey = withinPriority(context.caller.clientKey, bounds[tier] ?? 'interactive');
  return {
    context: { ...context, caller: { ...context.caller, clientKey } },
    served: { service_tier: servedTiers[classOf(clientKey)] },
  };
}
