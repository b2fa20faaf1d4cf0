import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../../api/client.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { parseMetrics, sumOf, type Sample } from './parse-metrics.ts';
import { ratesOf, withCount, type TokenCount } from './token-rate.ts';

const intervalMs = 2000;

/** The server's metrics, polled every two seconds, and the tokens per second of the last minute. */
export function useMetrics(): {
  readonly samples: readonly Sample[] | undefined;
  readonly rates: readonly number[];
} {
  const isAllowed = usePermissions()('metrics');
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['metrics'],
    queryFn: async ({ signal }) =>
      parseMetrics(await (await send('get', '/metrics', {}, { signal })).text()),
    enabled: isAllowed,
    refetchInterval: intervalMs,
    structuralSharing: false,
  });
  const [counts, setCounts] = useState<readonly TokenCount[]>([]);
  if (data !== undefined && counts.at(-1)?.atMs !== dataUpdatedAt) {
    const tokens = sumOf(data, 'hearth_generation_tokens_total') ?? 0;
    setCounts(withCount(counts, { atMs: dataUpdatedAt, tokens }));
  }
  return { samples: data, rates: ratesOf(counts) };
}
