import { expect, it } from 'vitest';
import {
  withIdlePriority,
  type Priority,
  withPriority,
} from '../../kernel/concurrency/fair-queue.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { withServiceTier } from './service-tier.ts';

const served = (clientKey: string, tier: Parameters<typeof withServiceTier>[1]) => {
  const context = { caller: { clientKey } } as RequestContext;
  const tiered = withServiceTier(context, tier);
  return [tiered.context.caller.clientKey, tiered.served.service_tier];
};

it.each<readonly [Priority, Parameters<typeof withServiceTier>[1], Priority, string | undefined]>([
  ['normal', undefined, 'normal', undefined],
  ['normal', 'auto', 'normal', 'default'],
  ['normal', 'default', 'normal', 'default'],
  ['normal', 'flex', 'background', 'flex'],
  ['normal', 'priority', 'normal', 'default'],
  ['interactive', 'auto', 'interactive', 'priority'],
  ['interactive', 'default', 'normal', 'default'],
  ['interactive', 'flex', 'background', 'flex'],
  ['interactive', 'priority', 'interactive', 'priority'],
  ['background', 'priority', 'background', 'flex'],
  ['background', 'default', 'background', 'flex'],
  ['background', 'scale', 'background', 'flex'],
])('a token of the class %s with the tier %s has the class %s', (own, tier, expected, shown) => {
  expect(served(withPriority('token a', own), tier)).toEqual([
    withPriority('token a', expected),
    shown,
  ]);
});

it('leaves the requests of a batch last', () => {
  const last = withIdlePriority('token a');
  expect(served(last, 'priority')).toEqual([last, 'flex']);
});
