import { HearthError } from '../../../kernel/errors/errors.ts';
import { getRequest, listRequests } from './request-schema.ts';
import type { RequestLog } from '../../../telemetry/request-log.ts';
import { mount, type App } from '../../kit/mount.ts';
import { shorten } from '../../kit/validation/shown-value.ts';
import { toRequestDetails, toRequestSummary } from './request-record.ts';

export function mountRequests(app: App, requestLog: RequestLog): void {
  mount(app, listRequests, async ({ query }) => ({
    requests: requestLog
      .list()
      .filter(({ model }) => query.model === undefined || model === query.model)
      .filter(({ state }) => query.state === undefined || state === query.state)
      .slice(0, query.limit)
      .map(toRequestSummary),
  }));

  mount(app, getRequest, async ({ params }) => {
    const record = requestLog.find(params.id);
    if (record !== undefined) return toRequestDetails(record);
    throw new HearthError(
      'request_not_found',
      `The server remembers no request with the id ${shorten(params.id)}; it keeps the latest ones.`,
      { param: 'id' },
    );
  });
}
