import { expect, it } from 'vitest';
import { useConversations } from '../../../../test/setup/store/use-conversations.ts';
import { conversationItems } from './conversation-items.ts';

const conversations = useConversations();

async function headOf(responseId: string) {
  const { store } = conversations;
  const id = await store.conversations.idOf(responseId);
  const head = await store.conversations.head(id ?? '', null);
  if (head === undefined) throw new Error(`no conversation of ${responseId}`);
  return head;
}

const itemOf = ({ id }: { readonly id: string }, index: string): string =>
  `msg_${id.replace('resp_', '')}_${index}`;

it('lists the items of the branch in pages, forwards and backwards', async () => {
  const first = await conversations.say('first');
  const second = await conversations.say('second<first');
  const head = await headOf(first.id);
  const ids = [first, second].flatMap((each) => [itemOf(each, 'in0'), itemOf(each, '0')]);
  const walk = async (order: 'asc' | 'desc', limit: number, maxCharacters?: number) => {
    const pages: (readonly string[])[] = [];
    let after: string | undefined;
    do {
      const options = { order, limit, after };
      const page = await conversationItems(conversations.store, head, options, maxCharacters);
      pages.push(page.data.map(({ id }) => id));
      after = page.has_more ? (page.last_id ?? undefined) : undefined;
    } while (after !== undefined);
    return pages;
  };
  expect(await walk('asc', 100)).toEqual([ids]);
  expect(await walk('desc', 100)).toEqual([ids.toReversed()]);
  expect(await walk('asc', 4)).toEqual([ids]);
  expect(await walk('asc', 3)).toEqual([ids.slice(0, 3), ids.slice(3)]);
  // With a limit of one character, each page ends after its first item.
  expect(await walk('asc', 100, 1)).toEqual(ids.map((id) => [id]));
});

it('refuses an item of another conversation or branch, and one that does not exist', async () => {
  const first = await conversations.say('first');
  const sibling = await conversations.say('sibling<first');
  await conversations.say('second<first');
  const other = await conversations.say('other');
  const head = await headOf(first.id);
  const after = [itemOf(other, '0'), itemOf(sibling, '0'), itemOf(first, '7'), 'msg_1'];
  for (const each of after) {
    for (const order of ['asc', 'desc'] as const) {
      const page = conversationItems(conversations.store, head, { order, limit: 9, after: each });
      await expect(page).rejects.toMatchObject({
        code: 'invalid_value',
        param: 'after',
        message: `The conversation has no item "${each}".`,
      });
    }
  }
});
