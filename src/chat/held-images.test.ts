import { afterEach, expect, it } from 'vitest';
import { generationEnd, scriptedTurns, turnRequest } from '../../test/setup/chat/scripted-turn.ts';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { picture } from '../../test/setup/models/picture.ts';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { encodeTurn } from '../conversation/codec.ts';
import { addMessages } from './add-messages.ts';
import { countTurnTokens } from './count-tokens.ts';
import { ImageAllowance } from './image-allowance.ts';
import { importConversation } from './import-conversation.ts';
import type { TurnMessage } from './turn-request.ts';

const mebibyte = 1024 * 1024;
const allowances: ImageAllowance[] = [];
afterEach(() => {
  for (const allowance of allowances.splice(0)) allowance.release();
});

/** Holds all that the images of all requests may take, which fails where anything is held already. */
function holdEverything(): void {
  for (let left = 256; left > 0; left -= 24) {
    const allowance = new ImageAllowance(modelEntry(), 1);
    allowances.push(allowance);
    allowance.hold(Math.min(left, 24) * mebibyte, 'images');
  }
}

async function setUp() {
  const turns = await scriptedTurns(async function* () {
    yield generationEnd;
  });
  const url = await picture('red');
  const messages: TurnMessage[] = [{ role: 'user', content: [{ type: 'image', url }] }];
  return { ...turns, url, messages };
}

it('are given back with the end of a turn, also of one that fails', async () => {
  const { run, messages } = await setUp();
  await run({ model: 'test/vision', messages });
  const broken = { type: 'image', url: 'data:image/png;base64,AAAA' } as const;
  const failing = [...messages, { role: 'user', content: [broken] }] as const;
  await expect(run({ model: 'test/vision', messages: failing })).rejects.toMatchObject({
    code: 'invalid_image',
  });
  expect(holdEverything).not.toThrow();
});

it('are given back once their tokens are counted', async () => {
  const { services, messages } = await setUp();
  await countTurnTokens(services, turnRequest({ model: 'test/vision', messages }), testContext());
  expect(holdEverything).not.toThrow();
});

it('are given back once their messages are stored', async () => {
  const { services, messages, store } = await setUp();
  const { id: conversationId } = await store.conversations.create({ ownerId: null, metadata: {} });
  const added = { conversationId, previousResponseId: null, messages };
  await addMessages(services, added, testContext());
  expect(holdEverything).not.toThrow();
});

it('are given back once their conversation is imported', async () => {
  const { store, url } = await setUp();
  const response = {
    id: 'resp_1',
    parentId: null,
    createdAt: new Date(0),
    modelKey: 'test/model',
    modelInstanceId: 'test/model',
    turn: JSON.parse(encodeTurn(conversationTurn())) as unknown,
  };
  await importConversation(
    store,
    { title: 'Old', responses: [response], images: { a: url } },
    { ownerId: null, maxImagePixels: 10_000, signal: new AbortController().signal },
  );
  expect(holdEverything).not.toThrow();
});
