import { expect, it } from 'vitest';
import { seededRandom } from '../../../test/setup/seeded-random.ts';
import { conversationIdOf, useConversations } from '../../../test/setup/store/use-conversations.ts';
import type { StoredResponse } from '../store.ts';

const home = useConversations();

it('agrees with a simple model after random operations', async () => {
  const random = seededRandom();
  const choose = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  interface Known {
    readonly response: StoredResponse;
    readonly conversation: string;
    readonly words: string;
  }
  const known: Known[] = [];
  const names = new Map<string, string>();
  const owners = [null, 'me', 'you'] as const;
  const drop = (gone: (each: Known) => boolean) => {
    known.splice(0, known.length, ...known.filter((each) => !gone(each)));
    for (const id of names.keys()) {
      if (!known.some(({ conversation }) => conversation === id)) names.delete(id);
    }
  };
  for (let step = 0; step < 250; step += 1) {
    const owner = choose(owners) ?? null;
    const own = known.filter(({ response }) => response.ownerId === owner);
    const operation = random();
    if (operation < 0.6 || own.length === 0) {
      const readable = known.filter(
        ({ response }) => response.ownerId === owner || response.ownerId === null,
      );
      const parent = random() < 0.25 ? undefined : choose(readable);
      const name = `${step}`;
      const words = `${choose(['red', 'green', 'blue'])} thing ${step}`;
      const response = await home.say(name, {
        input: words,
        ownerId: owner,
        parentId: parent?.response.id ?? null,
      });
      const isJoined = parent !== undefined && parent.response.ownerId === owner;
      const conversation = isJoined ? parent.conversation : conversationIdOf(name);
      if (!isJoined) names.set(conversation, words);
      known.push({ response, conversation, words });
    } else if (operation < 0.85) {
      const { response } = choose(own) ?? { response: undefined };
      await home.store.responses.delete(response?.id ?? '', owner);
      drop((each) => each.response === response);
    } else if (operation < 0.92) {
      const { conversation = '' } = choose(own) ?? {};
      await home.store.conversations.update(conversation, owner, { title: `title ${step}` });
      names.set(conversation, `title ${step}`);
    } else {
      const { conversation = '' } = choose(own) ?? {};
      await home.store.conversations.delete(conversation, owner);
      drop((each) => each.conversation === conversation);
    }
    if (step % 10 !== 9) continue;
    for (const each of owners) {
      for (const search of [undefined, 'red', 'title']) {
        const isFound = (id: string, text: string) =>
          search === undefined ||
          text.includes(search) ||
          known.some(({ conversation, words }) => conversation === id && words.includes(search));
        const expected = [...names].flatMap(([id, title]) => {
          const members = known.filter(({ conversation }) => conversation === id);
          const last = members.at(-1)?.response;
          if (last === undefined || last.ownerId !== each || !isFound(id, title)) return [];
          return [[id, title, members.length, last.id, last.createdAt]];
        });
        const listed = await home.list(search, each);
        expect(
          listed.map(({ id, title, responseCount, lastResponseId, updatedAt }) => [
            id,
            title,
            responseCount,
            lastResponseId,
            updatedAt,
          ]),
        ).toEqual(expected.toSorted((one, other) => Number(other[4]) - Number(one[4])));
      }
    }
  }
  for (const owner of owners) {
    for (const { id } of await home.list(undefined, owner)) {
      const tree = await home.store.conversations.tree(id);
      const live = tree.filter(({ isDeleted }) => !isDeleted).map((node) => node.id);
      const members = known.filter(({ conversation }) => conversation === id);
      expect(live).toEqual(expect.arrayContaining(members.map(({ response }) => response.id)));
      expect(await home.store.conversations.delete(id, owner)).toBe(true);
    }
  }
  expect(await home.query('select id from responses')).toEqual([]);
  expect(await home.query('select id from conversation_entries')).toEqual([]);
  expect(await home.query('select id from conversation_texts')).toEqual([]);
  await home.assertSound();
});
