import type { RequestSummary } from '../../../../../src/contract/v1/request.ts';
import type { ServerEvent } from '../../../../../src/contract/v1/server-event.ts';

/** The page shows the latest ones; the server keeps more. */
export const shownRequests = 200;

/** The list, newest first, after an event. */
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
  return [request, ...requests].slice(0, shownRequests);
}

export interface RequestFilter {
  readonly state: 'all' | RequestSummary['state'];
  readonly text: string;
  /** Whether files of the web app are listed, too. */
  readonly hasFiles: boolean;
}

export function filterRequests(
  requests: readonly RequestSummary[],
  { state, text, hasFiles }: RequestFilter,
): readonly RequestSummary[] {
  const searched = text.trim().toLowerCase();
  return requests.filter(
    (each) =>
      (state === 'all' || each.state === state) &&
      (hasFiles || /^\/(?:api|v1)\//.test(each.path) || each.state === 'failed') &&
      `${each.path} ${each.model ?? ''}`.toLowerCase().includes(searched),
  );
}
