import { expect, it } from 'vitest';
import { picture } from '../../test/setup/models/picture.ts';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import { AudioReader } from './audio/audio-reader.ts';
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

const owner = {
  ownerId: null,
  clientKey: 'me',
  audio: new AudioReader('no-script.js'),
  signal: new AbortController().signal,
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
      { ...owner, maxImagePixels: 100 },
    );
  await expect(importWith(65)).rejects.toMatchObject({
    code: 'invalid_image',
    field: 'images.64',
    message: expect.stringContaining('6500 pixels together; at most 6400') as string,
  });
  await expect(importWith(5001)).rejects.toMatchObject({ code: 'invalid_value', field: 'images' });
  expect(await importWith(64)).toMatchObject({ title: 'Pictures', responseCount: 1 });
});

const importing = async (
  responses: Parameters<typeof importConversation>[1]['responses'],
  images: Readonly<Record<string, string>> = {},
) => {
  const store = await temporaryStore();
  const options = { ...owner, maxImagePixels: 10_000 };
  const conversation = await importConversation(
    store,
    { title: 'Old', responses, images },
    options,
  );
  return { store, conversation };
};

it.each([
  [
    'a response that comes twice',
    [response, response],
    'responses[1].response_id',
    `responses[1].response_id: "${id}" appears twice.`,
  ],
  [
    'a parent that comes later',
    [{ ...response, parentId: 'resp_1' }],
    'responses[0].previous_response_id',
    'responses[0].previous_response_id: "resp_1" is not an earlier response of the list.',
  ],
  [
    'a turn of another format',
    [{ ...response, turn: { ...turn, formatVersion: 99 } }],
    'responses[0].turn',
    "responses[0].turn: The turn can't be read: A stored turn has format 99;",
  ],
  [
    'negative numbers',
    [{ ...response, turn: { ...turn, usage: { ...turn.usage, promptTokens: -1 } } }],
    'responses[0].turn',
    "The turn can't be read: usage.promptTokens: ",
  ],
  [
    'an image that is not there',
    [
      {
        ...response,
        turn: {
          ...turn,
          messages: [
            {
              role: 'user',
              content: [{ type: 'image', sha256: 'abc', mediaType: 'image/png' }],
            },
          ],
        },
      },
    ],
    'responses[0].turn',
    'responses[0].turn: images has no "abc".',
  ],
])('refuses %s', async (_, responses, field, message) => {
  await expect(importing(responses)).rejects.toMatchObject({
    code: 'invalid_value',
    field,
    message: expect.stringContaining(message),
  });
});

it('keeps the tree, and encodes the images of messages and tools again', async () => {
  const image = { type: 'image', sha256: 'old', mediaType: 'image/gif' };
  const audio = { type: 'audio', sha256: 'old' };
  const call = {
    type: 'toolCall',
    round: 0,
    exposedName: 'draw',
    tool: 'draw',
    provider: { type: 'plugin', pluginId: 'mcp/draw' },
    arguments: {},
    result: [{ type: 'image', sha256: 'old', mimeType: 'image/gif' }, { type: 'image' }, audio],
    isError: false,
  };
  const answer = { type: 'message', text: 'There.' };
  const second = {
    ...response,
    id: `resp_${'1'.repeat(48)}`,
    parentId: id,
    turn: {
      ...turn,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Draw!' }, image] }],
      items: [call, answer],
    },
  };
  const dataUrl = await picture('red', 10, 10);
  const { store, conversation } = await importing([response, second], { old: dataUrl });
  expect(conversation).toMatchObject({ title: 'Old', responseCount: 2 });
  const stored = await store.responses.find(conversation.lastResponseId ?? '', null);
  const [part, again] = stored?.turn.messages[0]?.content ?? [];
  expect(part).toEqual({ type: 'text', text: 'Draw!' });
  const { sha256, mediaType } = again as { sha256: string; mediaType: string };
  expect(sha256).toMatch(/^[0-9a-f]{64}$/u);
  expect(mediaType).not.toBe('image/gif');
  expect(await store.blobs.find(sha256)).toMatchObject({ mediaType });
  expect(stored?.turn.items).toEqual([
    { ...call, result: [{ type: 'image', sha256, mimeType: mediaType }, { type: 'image' }, audio] },
    answer,
  ]);
  expect(stored?.parentId).not.toBeNull();
});
