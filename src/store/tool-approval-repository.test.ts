import { beforeEach, expect, it } from 'vitest';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import type { Store } from './store.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

const write = { pluginId: 'mcp/files', tool: 'write', isApproved: true };
const edit = { pluginId: 'mcp/files', tool: 'edit', isApproved: false };
const call = (id: string, ownerId: string | null) => ({ id, ownerId, pluginId: null, tool: 'add' });

it('keeps a choice for each tool of an owner, up to a number', async () => {
  const { toolApprovals } = store;
  expect(await toolApprovals.keep('a', write, 2)).toBe(true);
  expect(await toolApprovals.keep('a', edit, 2)).toBe(true);
  expect(await toolApprovals.keep('a', { ...edit, tool: 'move' }, 2)).toBe(false);
  expect(await toolApprovals.keep('a', { ...write, isApproved: false }, 2)).toBe(true);
  expect(await toolApprovals.keep(null, write, 2)).toBe(true);
  expect(await toolApprovals.list('a')).toEqual([edit, { ...write, isApproved: false }]);
  expect(await toolApprovals.list(null)).toEqual([write]);
  expect(await toolApprovals.remove('a', 'mcp/files', 'write')).toBe(true);
  expect(await toolApprovals.remove('a', 'mcp/files', 'write')).toBe(false);
  expect(await toolApprovals.list('a')).toEqual([edit]);
});

it('forgets the choices of a token that is revoked', async () => {
  await store.toolApprovals.keep('a', write, 2);
  await store.toolApprovals.keep('b', write, 2);
  await store.tokens.delete('a');
  expect(await store.toolApprovals.list('a')).toEqual([]);
  expect(await store.toolApprovals.list('b')).toEqual([write]);
});

it('gives the answer of a call to its turn once', async () => {
  const { toolApprovals } = store;
  await toolApprovals.addCalls([call('one', 'a'), call('two', null)], new Date());
  expect(await toolApprovals.findCall('one', 'a')).toEqual(call('one', 'a'));
  expect(await toolApprovals.findCall('one', null)).toBeUndefined();
  expect(await toolApprovals.findCall('two', null)).toEqual(call('two', null));
  expect(await toolApprovals.takeAnswers(['one', 'two'])).toEqual(new Map());
  expect(await toolApprovals.answerCall('one', '{}')).toBe(true);
  expect(await toolApprovals.answerCall('one', '[]')).toBe(false);
  expect(await toolApprovals.isTaken('one')).toBe(false);
  // A call that was answered in the last moment.
  await toolApprovals.endCalls(['one', 'two']);
  expect(await toolApprovals.answerCall('two', '{}')).toBe(false);
  expect(await toolApprovals.takeAnswers(['one', 'two'])).toEqual(new Map([['one', '{}']]));
  expect(await toolApprovals.isTaken('one')).toBe(true);
  expect(await toolApprovals.takeAnswers(['one', 'two'])).toEqual(new Map());
});

it('forgets the calls of another day', async () => {
  const { toolApprovals } = store;
  await toolApprovals.addCalls([call('old', 'a')], new Date(0));
  expect(await toolApprovals.findCall('old', 'a')).toBeDefined();
  await toolApprovals.addCalls([call('new', 'a')], new Date());
  expect(await toolApprovals.findCall('old', 'a')).toBeUndefined();
});
