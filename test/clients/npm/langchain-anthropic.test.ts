import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { picture } from '../../setup/models/picture.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { testChatModel } from './langchain-suite.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});

describe('@langchain/anthropic', () => {
  const chat = (model = 'hearth/starter-chat', more: object = {}) =>
    new ChatAnthropic({
      anthropicApiUrl: hearth.url,
      apiKey: 'any-word',
      model,
      temperature: 0,
      maxTokens: 400,
      maxRetries: 0,
      ...more,
    });

  testChatModel(chat);

  it('thinks', async () => {
    const thinker = chat('hearth/starter-chat', {
      temperature: undefined,
      maxTokens: 2000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
    const { contentBlocks } = await thinker.invoke('What is 2 + 3?');
    expect(contentBlocks.map(({ type }) => type)).toEqual(['reasoning', 'text']);
  });

  it('shows a picture', async () => {
    const message = new HumanMessage([
      { type: 'image_url', image_url: { url: await picture('red') } },
      { type: 'text', text: 'What colour is the picture?' },
    ]);
    const answer = await chat('hearth/starter-vision').invoke([message]);
    expect(answer.text.toLowerCase()).toContain('red');
  });

  it('throws the errors of the server', async () => {
    await expect(chat('nobody/nothing').invoke('Hello!')).rejects.toMatchObject({ status: 404 });
  });

  it('stops the generation when it is aborted midway', async () => {
    const controller = new AbortController();
    const running = await chat(endlessModel, { maxTokens: 100_000 }).stream('Tell me a story', {
      signal: controller.signal,
    });
    const reading = (async () => {
      for await (const _ of running) {
        if (controller.signal.aborted) continue;
        await waitForRequests(hearth.url, endlessModel, 1);
        controller.abort();
      }
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});
