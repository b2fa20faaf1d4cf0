import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { ResultOf, RouteOf } from '../../api/routes.ts';
import { devicesTexts } from '../../texts/devices.ts';
import { separated } from '../../ui/separated.ts';

export const devicesQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call('get', '/api/v1/sessions', {}, { signal }),
});

export type Device = ResultOf<RouteOf<'get', '/api/v1/sessions'>>['sessions'][number];

/** Such as `Safari · iPhone`. */
export function deviceName({ browser, system }: Pick<Device, 'browser' | 'system'>): string {
  const known = [browser ?? [], system ?? []].flat();
  return known.length === 0 ? devicesTexts.unknown : separated(known);
}
