import type { RequestSummary } from '../../../../../src/api/v1/server/request-schema.ts';
import type { ServerEvent } from '../../../../../src/api/v1/server/server-event-schema.ts';

/** Maximum number of requests on the page. The app's own reads are not counted, since there are many. */
export const keptRequests = 1000;

/** Returns the list, newest first, after an event. */
export function withEvent(
  requests: readonly RequestSummary[],
  event: ServerEvent,
): readonly RequestSummary[] {
  if (event.type === 'request.progress') {
    const { id, completion_tokens } = event;
    return requests.map((each) => (each.id === id ? { ...each, completion_tokens } : each));
  }
  if (event.type !== 'request.started' && event.type !== 'request.finished') return requests;
  const { request } = event;
  if (requests.some(({ id }) => id === request.id)) {
    return requests.map((each) => (each.id === request.id ? request : each));
  }
  return [request, ...requests].slice(0, keptRequests);
}

export interface RequestFilter {
  readonly state: 'all' | RequestSummary['state'];
  readonly text: string;
  /** Also lists requests that this app makes to show its pages. */
  readonly hasOwnReads: boolean;
}

export function filterRequests(
  requests: readonly RequestSummary[],
  { state, text, hasOwnReads }: RequestFilter,
): readonly RequestSummary[] {
  const searched = text.trim().toLowerCase();
  return requests.filter(
    (each) =>
      (state === 'all' || each.state === state) &&
      (hasOwnReads || !isOwnRead(each) || each.state === 'failed') &&
      `${each.path} ${each.model ?? ''}`.toLowerCase().includes(searched),
  );
}

/** True for files of the app and for API requests that only load data for its pages. */
function isOwnRead({ method, path }: RequestSummary): boolean {
  if (path === '/api/v1/models/estimate') return true;
  const isOwnPath = path.startsWith('/api/v1/') || !/^\/(?:api|v1)\//.test(path);
  return method === 'GET' && isOwnPath;
}
