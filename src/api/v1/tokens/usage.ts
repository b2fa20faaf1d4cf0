import type { UsageRecorder } from '../../../access/usage-recorder.ts';
import { ownerId } from '../../../access/authenticator.ts';
import { invalidValue } from '../../../kernel/errors/errors.ts';
import type { Store } from '../../../store/store.ts';
import {
  addUsage,
  noUsage,
  type UsageCounts,
  type UsageSum,
} from '../../../store/usage-repository.ts';
import { mount, type App } from '../../kit/mount.ts';
import { getUsage, type UsageGroup } from './usage-schema.ts';

interface UsageServices {
  readonly usage: Pick<UsageRecorder, 'flush'>;
  readonly store: Pick<Store, 'usage' | 'tokens'>;
}

const dayMs = 24 * 3600 * 1000;
/** Maximum number of days in a query, which bounds its rows. */
const maxDays = 400;
const dimensions = { day: 'day', model: 'modelKey', token: 'tokenId' } as const;

export function mountUsage(app: App, { usage, store }: UsageServices): void {
  mount(app, getUsage, async ({ query, context: { caller } }) => {
    const { from, to } = daysOf(query);
    const groups: readonly UsageGroup[] = query.group_by ?? ['day'];
    await usage.flush();
    const sums = await store.usage.sum({
      from,
      to,
      groupBy: groups.map((group) => dimensions[group]),
      ...(!caller.hasPermission('admin') && {
        tokenId: caller.identity?.tokenId ?? caller.tokenId,
      }),
    });
    const nameOf = groups.includes('token') ? await readNames(store) : () => null;
    return {
      from,
      to,
      totals: toCounts(sums.reduce(addUsage, noUsage)),
      rows: sums.map((sum) => toRow(sum, nameOf)),
    };
  });
}

/** @throws HearthError `invalid_value`. */
function daysOf(query: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly from: string;
  readonly to: string;
} {
  const to = query.to ?? toDay(Date.now());
  const from = query.from ?? toDay(Date.parse(to) - 29 * dayMs);
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days >= 1 && days <= maxDays) return { from, to };
  throw invalidValue(
    'from',
    days < 1
      ? `"from" (${from}) is after "to" (${to}).`
      : `From ${from} to ${to} are ${days} days; at most ${maxDays} can be read at once.`,
  );
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

async function readNames({ tokens }: Pick<Store, 'tokens'>) {
  const names = new Map((await tokens.list()).map(({ id, name }) => [id, name]));
  names.set(ownerId, ownerId);
  return (id: string | null): string | null => names.get(id ?? '') ?? null;
}

function toRow(sum: UsageSum, nameOf: (id: string | null) => string | null) {
  const { day, modelKey, tokenId } = sum;
  return {
    ...(day !== undefined && { day }),
    ...(modelKey !== undefined && { model: modelKey }),
    ...(tokenId !== undefined && { token_id: tokenId, token_name: nameOf(tokenId) }),
    ...toCounts(sum),
  };
}

function toCounts(counts: UsageCounts) {
  return {
    requests: counts.requests,
    failed_requests: counts.failedRequests,
    prompt_tokens: counts.promptTokens,
    cached_prompt_tokens: counts.cachedPromptTokens,
    completion_tokens: counts.completionTokens,
  };
}
