import type { ConversationRecord } from '../conversations/conversation-queries.ts';

export type Group = 'pinned' | 'today' | 'yesterday' | 'week' | 'older' | 'results' | 'archived';

/**
 * Groups conversations by the day of their newest response, in the server's order. Search results and archived
 * conversations are a single group.
 */
export function groupConversations<Item extends Pick<ConversationRecord, 'pinned' | 'updated_at'>>(
  conversations: readonly Item[],
  now: Date,
  single?: 'results' | 'archived',
): readonly { readonly group: Group; readonly conversations: readonly Item[] }[] {
  const groups = new Map<Group, Item[]>();
  for (const each of conversations) {
    const group = single ?? (each.pinned ? 'pinned' : ageOf(new Date(each.updated_at), now));
    const members = groups.get(group) ?? [];
    members.push(each);
    groups.set(group, members);
  }
  return [...groups].map(([group, members]) => ({ group, conversations: members }));
}

function ageOf(time: Date, now: Date): Group {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const daysAgo = (days: number) =>
    new Date(midnight.getFullYear(), midnight.getMonth(), midnight.getDate() - days);
  if (time >= midnight) return 'today';
  if (time >= daysAgo(1)) return 'yesterday';
  return time >= daysAgo(7) ? 'week' : 'older';
}
