import { ChatAnthropic } from '@langchain/anthropic';
import {
  HumanMessage,
  type AIMessageChunk,
  type ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { picture } from '../../setup/models/picture.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';

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

  it('chats, whole and streamed, and counts the usage once', async () => {
    const question = 'What is the capital of France?';
    const whole = await chat().invoke(question);
    expect(whole.text).toContain('Paris');
    let sum: AIMessageChunk | undefined;
    for await (const chunk of await chat().stream(question)) sum = sum?.concat(chunk) ?? chunk;
    expect(sum?.text).toBe(whole.text);
    const expected = whole.usage_metadata as UsageMetadata | undefined;
    expect(expected?.output_tokens).toBeGreaterThan(0);
    const counted = sum?.usage_metadata as UsageMetadata | undefined;
    expect(counted?.output_tokens).toBe(expected?.output_tokens);
  });

  it('calls a tool and answers from its result', async () => {
    const getTide = tool(({ harbour }) => `{"harbour": "${harbour}", "tide": "high"}`, {
      name: 'get_tide',
      description: 'Tide of a harbour',
      schema: z.object({ harbour: z.string() }),
    });
    const bound = chat().bindTools([getTide]);
    const messages = [new HumanMessage('Get the tide of Brest')];
    const called = await bound.invoke(messages);
    const [call] = called.tool_calls ?? [];
    expect(call).toMatchObject({ name: 'get_tide', args: { harbour: 'Brest' } });
    const result: ToolMessage = await getTide.invoke({ ...call, type: 'tool_call' } as never);
    const answer = await bound.invoke([...messages, called, result]);
    expect(answer.text).toContain('high');
  });

  it.each(['jsonSchema', 'functionCalling'] as const)(
    'gives structured output by %s',
    async (method) => {
      const schema = z.object({ answer: z.int() });
      const structured = chat().withStructuredOutput(schema, { name: 'sum', method });
      expect(await structured.invoke('What is 2 + 3?')).toEqual({ answer: expect.any(Number) });
    },
  );

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
