import { HearthError } from '../../../contract/errors.ts';
import { getRequest, listRequests } from '../../../contract/v1/request.ts';
import type { RequestLog } from '../../../observability/request-log.ts';
import { mount, type App } from '../../mount.ts';
import { shorten } from '../../validation/shown-value.ts';
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
      `The server remembers no request with the id ${shorten(params.id)}; it keeps the latest ones (observability.requests).`,
      { param: 'id' },
    );
  });
}
