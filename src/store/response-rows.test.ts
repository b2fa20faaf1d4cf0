import { expect, it } from 'vitest';
import { responseIdOf, useConversations } from '../../test/setup/store/use-conversations.ts';

const conversations = useConversations();
const megabyte = 1024 * 1024;

it('ends a page before the responses that would make it larger than 16 MiB', async () => {
  const output = 'あ'.repeat(3 * megabyte);
  await conversations.say('one', { output });
  await conversations.say('two<one', { output });
  await conversations.say('three<two');
  const { store } = conversations;
  const leafId = responseIdOf('three');
  const namesOf = async (after?: string) => {
    const options = { limit: 10, ...(after === undefined ? {} : { after }) };
    const pages = [
      await store.responses.page({ ownerId: null, ...options }),
      await store.conversations.branch({ leafId, ...options }),
    ];
    return pages.map(({ responses, nextCursor }) => [responses.map(({ id }) => id), nextCursor]);
  };
  const [one, two, three] = ['one', 'two', 'three'].map(responseIdOf);
  const first = [[three, two], two];
  expect(await namesOf()).toEqual([first, first]);
  const second = [[one], null];
  expect(await namesOf(two)).toEqual([second, second]);
  expect(await namesOf(one)).toEqual([
    [[], null],
    [[], null],
  ]);
});

it('has a response that is larger than a page', async () => {
  await conversations.say('large', { output: 'x'.repeat(17 * megabyte) });
  await conversations.say('small<large');
  const { store } = conversations;
  const large = responseIdOf('large');
  const after = responseIdOf('small');
  const page = await store.responses.page({ ownerId: null, limit: 2, after });
  expect(page.responses.map(({ id }) => id)).toEqual([large]);
  const branch = await store.conversations.branch({ leafId: after, limit: 2, isOldestFirst: true });
  expect(branch.responses.map(({ id }) => id)).toEqual([large]);
  expect(branch.nextCursor).toBe(large);
});
