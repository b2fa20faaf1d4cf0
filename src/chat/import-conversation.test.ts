import { expect, it } from 'vitest';
import { picture } from '../../test/setup/models/picture.ts';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import { importConversation } from './import-conversation.ts';

const turn = {
  formatVersion: 3,
  systemPrompt: null,
  instructions: null,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Look!' }] }],
  items: [],
  stopReason: 'eosFound',
  usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
  timings: { timeToFirstTokenSeconds: 0, generationSeconds: 0, tokensPerSecond: 0 },
};
const id = `resp_${'0'.repeat(48)}`;
const response = {
  id,
  parentId: null,
  createdAt: new Date(0),
  modelKey: 'test/model',
  modelInstanceId: 'test/model',
  turn,
};

it('bounds the pixels of all images together, before it decodes the first', async () => {
  const store = await temporaryStore();
  const dataUrl = await picture('red', 10, 10);
  const imagesOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [String(index), dataUrl]));
  const importWith = (count: number) =>
    importConversation(
      store,
      { title: 'Pictures', responses: [response], images: imagesOf(count) },
      { ownerId: null, maxImagePixels: 100, signal: new AbortController().signal },
    );
  await expect(importWith(65)).rejects.toMatchObject({
    code: 'invalid_image',
    field: 'images.64',
    message: expect.stringContaining('6500 pixels together; at most 6400') as string,
  });
  await expect(importWith(5001)).rejects.toMatchObject({ code: 'invalid_value', field: 'images' });
  expect(await importWith(64)).toMatchObject({ title: 'Pictures', responseCount: 1 });
});
