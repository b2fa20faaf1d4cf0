import { expect, it } from 'vitest';
import type { RequestSummary } from '../../../../../src/api/v1/server/request-schema.ts';
import { filterRequests, keptRequests, withEvent, type RequestFilter } from './request-list.ts';

const time = '2026-11-02T09:30:00.000Z';
const request = (id: string, fields: Partial<RequestSummary> = {}): RequestSummary => ({
  id,
  request_id: `client ${id}`,
  state: 'running',
  started_at: time,
  method: 'POST',
  path: '/api/v1/chat',
  route: '/api/v1/chat',
  status: null,
  caller: null,
  tool_calls: [],
  ...fields,
});

it('puts a started request first, and changes it in its place', () => {
  let list = withEvent([request('a')], {
    type: 'request.started',
    time,
    request: request('b'),
  });
  expect(list.map(({ id }) => id)).toEqual(['b', 'a']);
  list = withEvent(list, {
    type: 'request.progress',
    time,
    id: 'a',
    phase: 'generating',
    completion_tokens: 7,
  });
  expect(list[1]?.completion_tokens).toBe(7);
  const finished = request('a', { state: 'completed', status: 200 });
  list = withEvent(list, { type: 'request.finished', time, request: finished });
  expect(list).toEqual([request('b'), finished]);
});

it('keeps the list bounded, and ignores other events', () => {
  const full = Array.from({ length: keptRequests }, (_, index) => request(`r${index}`));
  const list = withEvent(full, { type: 'request.started', time, request: request('new') });
  expect(list).toHaveLength(keptRequests);
  expect(list[0]?.id).toBe('new');
  expect(withEvent(full, { type: 'model.deleted', time, model: 'm', freed_bytes: 1 })).toBe(full);
});

it('filters by state, model and path', () => {
  const all = [
    request('a', { model: 'hearth/starter-chat' }),
    request('b', { state: 'failed', path: '/v1/embeddings' }),
    request('c', { state: 'completed', method: 'GET', path: '/assets/index.js' }),
    request('d', { state: 'completed', method: 'GET', path: '/api/v1/models' }),
    request('e', { state: 'failed', method: 'GET', path: '/api/v1/conversations' }),
    request('f', { state: 'completed', path: '/api/v1/models/estimate' }),
    request('g', { state: 'completed', method: 'GET', path: '/v1/models' }),
    request('h', { state: 'completed', path: '/api/v1/models/load' }),
  ];
  const idsOf = (filter: Partial<RequestFilter>) =>
    filterRequests(all, { state: 'all', text: '', hasOwnReads: false, ...filter }).map(
      ({ id }) => id,
    );
  expect(idsOf({ state: 'failed', text: '' })).toEqual(['b', 'e']);
  expect(idsOf({})).toEqual(['a', 'b', 'e', 'g', 'h']);
  expect(idsOf({ hasOwnReads: true })).toEqual(all.map(({ id }) => id));
  expect(idsOf({ state: 'all', text: ' STARTER' })).toEqual(['a']);
  expect(idsOf({ state: 'all', text: 'embeddings' })).toEqual(['b']);
});
