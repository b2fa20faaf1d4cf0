import { expect, it } from 'vitest';
import { useConversations } from '../../../../test/setup/store/use-conversations.ts';
import { withReferencedItems } from './item-references.ts';

const conversations = useConversations();
const text = { role: 'user', content: 'And now?' } as const;
const referenceTo = ({ id }: { readonly id: string }, index: string) =>
  ({ type: 'item_reference', id: `msg_${id.replace('resp_', '')}_${index}` }) as const;

it('replaces references by the items, in the order of the input', async () => {
  const [one, two] = [await conversations.say('one'), await conversations.say('two')];
  const input = [referenceTo(two, '0'), text, referenceTo(one, 'in0'), referenceTo(two, 'in0')];
  const items = await withReferencedItems(conversations.store, input, null);
  expect(items).toMatchObject([
    { role: 'assistant', content: [{ text: 'answer two' }] },
    text,
    { role: 'user', content: [{ text: 'question one' }] },
    { role: 'user', content: [{ text: 'question two' }] },
  ]);
  expect(await withReferencedItems(conversations.store, 'Hello', null)).toBe('Hello');
});

it('refuses an item that is named twice, so that a short input has no long history', async () => {
  const one = await conversations.say('one');
  const input = [referenceTo(one, '0'), referenceTo(one, 'in0'), referenceTo(one, '0')];
  await expect(withReferencedItems(conversations.store, input, null)).rejects.toMatchObject({
    code: 'invalid_value',
    param: 'input[2].id',
    message: `The input names the item "${input[0]?.id}" twice. Name it once.`,
  });
});

it('refuses items that are long together', async () => {
  const [one, two] = [await conversations.say('one'), await conversations.say('two')];
  const input = [text, referenceTo(one, '0'), referenceTo(two, '0')];
  const { length } = JSON.stringify(await withReferencedItems(conversations.store, input, null));
  await expect(
    withReferencedItems(conversations.store, input, null, length),
  ).resolves.toBeDefined();
  await expect(
    withReferencedItems(conversations.store, input, null, length / 2),
  ).rejects.toMatchObject({
    code: 'invalid_value',
    param: 'input[2].id',
  });
});

it('refuses an item that does not exist, or belongs to another token', async () => {
  const own = await conversations.say('own', { ownerId: 'tok_a' });
  for (const reference of [referenceTo(own, '0'), { type: 'item_reference', id: 'x' } as const]) {
    const found = withReferencedItems(conversations.store, [text, reference], 'tok_b');
    await expect(found).rejects.toMatchObject({ code: 'invalid_value', param: 'input[1].id' });
  }
});
