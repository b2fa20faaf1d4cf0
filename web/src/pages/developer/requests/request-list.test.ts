import { expect, it } from 'vitest';
import type { RequestSummary } from '../../../../../src/contract/v1/request.ts';
import { filterRequests, withEvent, type RequestFilter } from './request-list.ts';

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
  const full = Array.from({ length: 200 }, (_, index) => request(`r${index}`));
  const list = withEvent(full, { type: 'request.started', time, request: request('new') });
  expect(list).toHaveLength(200);
  expect(list[0]?.id).toBe('new');
  expect(withEvent(full, { type: 'model.deleted', time, model: 'm', freed_bytes: 1 })).toBe(full);
});

it('filters by state, model and path', () => {
  const all = [
    request('a', { model: 'hearth/starter-chat' }),
    request('b', { state: 'failed', path: '/v1/embeddings' }),
    request('c', { state: 'completed', path: '/assets/index.js' }),
  ];
  const idsOf = (filter: Partial<RequestFilter>) =>
    filterRequests(all, { state: 'all', text: '', hasFiles: false, ...filter }).map(({ id }) => id);
  expect(idsOf({ state: 'failed', text: '' })).toEqual(['b']);
  expect(idsOf({})).toEqual(['a', 'b']);
  expect(idsOf({ hasFiles: true })).toEqual(['a', 'b', 'c']);
  expect(idsOf({ state: 'all', text: ' STARTER' })).toEqual(['a']);
  expect(idsOf({ state: 'all', text: 'embeddings' })).toEqual(['b']);
});
