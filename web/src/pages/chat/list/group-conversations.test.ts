import { expect, it } from 'vitest';
import { groupConversations } from './group-conversations.ts';

const now = new Date(2026, 10, 20, 0, 30);
const item = (days: number, pinned = false) => ({
  pinned,
  updated_at: new Date(2026, 10, 20 - days, 0, 10).toISOString(),
});

it('groups by days of the calendar, pinned ones first', () => {
  const list = [item(30, true), item(0), item(1), item(6), item(8)];
  expect(groupConversations(list, now).map(({ group }) => group)).toEqual([
    'pinned',
    'today',
    'yesterday',
    'week',
    'older',
  ]);
});

it('keeps found conversations in one group', () => {
  const list = [item(30, true), item(0)];
  expect(groupConversations(list, now, 'results')).toEqual([
    { group: 'results', conversations: list },
  ]);
});
