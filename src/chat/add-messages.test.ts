import { expect, it } from 'vitest';
import {
  generationEnd,
  resultOf,
  scriptedTurns,
  userMessage,
} from '../../test/setup/chat/scripted-turn.ts';
import { picture } from '../../test/setup/models/picture.ts';
import { testContext } from '../../test/setup/test-context.ts';
import type { GenerationEvent } from '../engines/engine.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { Store } from '../store/store.ts';
import { addMessages } from './add-messages.ts';
import type { TurnMessage } from './turn-request.ts';

async function setUp(events: readonly GenerationEvent[] = []) {
  const turns = await scriptedTurns(async function* () {
    yield* events;
    yield generationEnd;
  });
  const { store, services } = turns;
  const { id: conversationId } = await store.conversations.create({ ownerId: null, metadata: {} });
  const add = (
    messages: readonly TurnMessage[],
    previousResponseId: string | null = null,
    { signal, ...changes }: { store?: Store; signal?: AbortSignal; maxImagePixels?: number } = {},
  ) =>
    addMessages(
      { ...services, ...changes },
      { conversationId, previousResponseId, messages },
      testContext(signal && { signal }),
    );
  return { ...turns, conversationId, add };
}

it('begins a conversation, which continues from the messages', async () => {
  const { add, store, run, conversationId, requests } = await setUp();
  const messages: TurnMessage[] = [
    ...userMessage('My name is Ada.'),
    { role: 'assistant', content: [{ type: 'text', text: 'Hello, Ada.' }] },
  ];
  const added = await add(messages);
  expect(added).toMatchObject({
    parentId: null,
    ownerId: null,
    modelKey: '',
    modelInstanceId: '',
    turn: {
      systemPrompt: null,
      instructions: null,
      messages,
      items: [],
      stopReason: null,
      usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
      timings: { timeToFirstTokenSeconds: 0, generationSeconds: 0, tokensPerSecond: 0 },
    },
  });
  expect(await store.responses.find(added.id, null)).toEqual(added);
  const changes = { previousResponseId: added.id, messages: userMessage('Who am I?') };
  const { responseId = '' } = resultOf(await run(changes));
  expect(requests[0]).toMatchObject({
    messages: [
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello, Ada.' },
      { role: 'user', content: 'Who am I?' },
    ],
  });
  expect(await store.conversations.find(conversationId, null)).toMatchObject({ responseCount: 2 });

  const later = await add(userMessage('Thanks.'), responseId);
  expect(later).toMatchObject({
    parentId: responseId,
    modelKey: 'test/model',
    modelInstanceId: 'test/model',
  });
});

it('puts the results of calls first, and demands all of them', async () => {
  const call = { type: 'toolCall.delta', index: 0, id: 'id', name: 'find', argumentsJson: '{}' };
  const { add, run } = await setUp([call as GenerationEvent]);
  const clientTools = [{ name: 'find', parameters: { type: 'object' } }];
  const { responseId = '', items } = resultOf(await run({ clientTools }));
  const [item] = items;
  const toolCallId = item?.type === 'clientToolCall' ? item.id : '';
  const [question] = userMessage('And?');
  if (question === undefined) throw new Error('no message');
  await expect(add([question], responseId)).rejects.toMatchObject({
    code: 'invalid_value',
    field: 'messages',
  });
  const result: TurnMessage = {
    role: 'tool',
    toolCallId,
    content: [{ type: 'text', text: 'Nothing' }],
  };
  const { turn } = await add([question, result], responseId);
  expect(turn.messages.map(({ role }) => role)).toEqual(['tool', 'user']);
  // Results of calls in the same messages stay behind their calls.
  const toolCalls = [{ id: 'later', name: 'find', argumentsJson: '{}' }];
  const later: TurnMessage[] = [
    { role: 'assistant', content: [], toolCalls },
    { ...result, toolCallId: 'later' },
    question,
  ];
  const longer = await add([question, result, ...later], responseId);
  expect(longer.turn.messages.map((message) => message.role)).toEqual([
    'tool',
    'user',
    'assistant',
    'tool',
    'user',
  ]);
});

it('stores images, and names data that is not an image', async () => {
  const { add, store } = await setUp();
  const url = await picture('red');
  const { id } = await add([{ role: 'user', content: [{ type: 'image', url }] }]);
  const stored = await store.responses.find(id, null);
  expect(stored?.turn.messages).toMatchObject([{ content: [{ type: 'image' }] }]);
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image', url: 'data:image/png;base64,AAAA' },
  ] as const;
  await expect(add([...userMessage('Hi'), { role: 'user', content }])).rejects.toMatchObject({
    code: 'invalid_image',
    field: 'messages[1].content[1]',
  });
});

it('keeps the order at the beginning, where results follow their calls', async () => {
  const { add } = await setUp();
  const content = [{ type: 'text', text: 'Rain' }] as const;
  const toolCalls = [{ id: 'a', name: 'weather', argumentsJson: '{}' }];
  const { turn } = await add([
    ...userMessage('The weather?'),
    { role: 'assistant', content: [], toolCalls },
    { role: 'tool', toolCallId: 'a', content },
  ]);
  expect(turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});

it('bounds the pixels of all images together', async () => {
  const { add } = await setUp();
  const image = { type: 'image', url: await picture('red', 10, 10) } as const;
  const message = {
    role: 'user',
    content: [image, { type: 'text', text: 'Look' }, image],
  } as const;
  const maxImagePixels = 100;
  await add([message, message], null, { maxImagePixels });
  await expect(add([message, message, message], null, { maxImagePixels })).rejects.toMatchObject({
    code: 'invalid_image',
    field: 'messages[2].content[0]',
  });
});

it('stores nothing for a request that has ended', async () => {
  const { add, store, conversationId } = await setUp();
  const url = await picture('red');
  const signal = AbortSignal.abort(new Error('gone'));
  const messages = [{ role: 'user', content: [{ type: 'image', url }] }] as const;
  await expect(add(messages, null, { signal })).rejects.toThrow('gone');
  expect(await store.conversations.find(conversationId, null)).toBeUndefined();
});

it.each([
  [
    new Error('broken'),
    'storage_failed',
    'The items could not be stored. Is the disk full? See the log of the server.',
  ],
  [
    new HearthError('conversation_not_found', 'No such conversation.'),
    'conversation_not_found',
    'No such conversation.',
  ],
])('reports that they could not be stored (%s)', async (error, code, message) => {
  const { add, store } = await setUp();
  const insert = async (): Promise<never> => {
    throw error;
  };
  const responses = { ...store.responses, insert };
  await expect(
    add(userMessage('Hi'), null, { store: { ...store, responses } }),
  ).rejects.toMatchObject({ code, message });
});
