import { expect, it } from 'vitest';
import type { Store, StoredResponse } from '../../../store/store.ts';
import { toResponsePage } from './to-response-page.ts';

const imageBytes = 3000;
const responses = ['a', 'b', 'c'].map((name, index): StoredResponse => {
  const image = { type: 'image' as const, sha256: name, mediaType: 'image/png' };
  return {
    id: `resp_${index}`,
    parentId: null,
    ownerId: null,
    createdAt: new Date(0),
    modelKey: 'test/model',
    modelInstanceId: 'test/model',
    turn: {
      systemPrompt: null,
      instructions: null,
      messages: [{ role: 'user', content: [image] }],
      items: [],
      stopReason: 'eosFound',
      usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
      timings: { timeToFirstTokenSeconds: 0, generationSeconds: 0, tokensPerSecond: 0 },
    },
  };
});

function storeOfImages() {
  const read: string[] = [];
  const find = async (sha256: string) => {
    read.push(sha256);
    return { sha256, mediaType: 'image/png', bytes: new Uint8Array(imageBytes) };
  };
  return { read, store: { blobs: { find } } as unknown as Store };
}

it('has all responses of a page with small images', async () => {
  const { store } = storeOfImages();
  const page = await toResponsePage(store, { responses, nextCursor: 'resp_2' });
  expect(page.responses.map((each) => each.response_id)).toEqual(['resp_0', 'resp_1', 'resp_2']);
  expect(page.next_cursor).toBe('resp_2');
});

it('ends before further images where those so far are large, and is continued after the last', async () => {
  const { store, read } = storeOfImages();
  const page = await toResponsePage(store, { responses, nextCursor: null }, imageBytes * 2);
  expect(page.responses.map((each) => each.response_id)).toEqual(['resp_0', 'resp_1']);
  expect(page.next_cursor).toBe('resp_1');
  expect(read).toEqual(['a', 'b']);
  const rest = { responses: responses.slice(2), nextCursor: null };
  expect(await toResponsePage(store, rest, 1)).toMatchObject({
    responses: [{ response_id: 'resp_2' }],
    next_cursor: null,
  });
});
