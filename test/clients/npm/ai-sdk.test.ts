import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  embedMany,
  generateText,
  Output,
  stepCountIs,
  streamText,
  tool,
  type LanguageModel,
} from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { picture } from '../../setup/models/picture.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});

const openai = () => createOpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any-word' });
const compatible = () =>
  createOpenAICompatible({
    name: 'hearth',
    baseURL: `${hearth.url}/v1`,
    supportsStructuredOutputs: true,
    includeUsage: true,
  });
const anthropic = () => createAnthropic({ baseURL: `${hearth.url}/v1`, apiKey: 'any-word' });

const optionsOf = (model: LanguageModel) => ({
  model,
  temperature: 0,
  maxOutputTokens: 400,
  maxRetries: 0,
});

const languageModels: readonly (readonly [string, (model: string) => LanguageModel])[] = [
  ['@ai-sdk/openai', (model) => openai()(model)],
  ['@ai-sdk/openai-compatible', (model) => compatible()(model)],
  ['@ai-sdk/anthropic', (model) => anthropic()(model)],
];

describe.each(languageModels)('ai with %s', (_, languageModel) => {
  const options = (model = 'hearth/starter-chat') => optionsOf(languageModel(model));

  it('chats, whole and streamed, and counts the usage once', async () => {
    const prompt = 'What is the capital of France?';
    const whole = await generateText({ ...options(), prompt });
    expect(whole.text).toContain('Paris');
    const streamed = streamText({ ...options(), prompt });
    let text = '';
    for await (const piece of streamed.textStream) text += piece;
    expect(text).toBe(whole.text);
    expect((await streamed.usage).outputTokens).toBe(whole.usage.outputTokens);
    expect((await streamed.usage).inputTokens).toBe(whole.usage.inputTokens);
  });

  it('runs a tool and answers from its result', async () => {
    const { text, steps } = await generateText({
      ...options(),
      prompt: 'Get the tide of Brest',
      stopWhen: stepCountIs(3),
      tools: {
        get_tide: tool({
          description: 'Tide of a harbour',
          inputSchema: z.object({ harbour: z.string() }),
          execute: async ({ harbour }) => ({ harbour, tide: 'high' }),
        }),
      },
    });
    expect(steps[0]?.toolCalls[0]).toMatchObject({ input: { harbour: 'Brest' } });
    expect(text).toContain('high');
  });

  it('gives structured output', async () => {
    const { output } = await generateText({
      ...options(),
      prompt: 'What is 2 + 3?',
      output: Output.object({ schema: z.object({ answer: z.int() }) }),
    });
    expect(output).toEqual({ answer: expect.any(Number) });
  });

  it('shows a picture', async () => {
    const { text } = await generateText({
      ...options('hearth/starter-vision'),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', image: await picture('red') },
            { type: 'text', text: 'What colour is the picture?' },
          ],
        },
      ],
    });
    expect(text.toLowerCase()).toContain('red');
  });

  it('throws the errors of the server', async () => {
    const failure = generateText({ ...options('nobody/nothing'), prompt: 'Hello!' });
    await expect(failure).rejects.toSatisfy((error) => APICallError.isInstance(error));
    await expect(failure).rejects.toMatchObject({ statusCode: 404, isRetryable: false });
  });

  it('stops the generation when it is aborted midway', async () => {
    const controller = new AbortController();
    const running = streamText({
      ...options(endlessModel),
      maxOutputTokens: 100_000,
      prompt: 'Tell me a story',
      abortSignal: controller.signal,
    });
    const types: string[] = [];
    for await (const part of running.fullStream) {
      types.push(part.type);
      if (part.type !== 'text-delta' || controller.signal.aborted) continue;
      await waitForRequests(hearth.url, endlessModel, 1);
      controller.abort();
    }
    expect(types).toContain('abort');
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});

// OpenAI's package shows only summaries of reasoning, which no model here writes.
it.each([
  ['@ai-sdk/openai', () => openai()('hearth/starter-chat'), /^$/],
  ['@ai-sdk/openai-compatible', () => compatible()('hearth/starter-chat'), /\w/],
] as const)('reads the reasoning with %s', async (_, languageModel, expected) => {
  const { reasoningText, text, usage } = await generateText({
    ...optionsOf(languageModel()),
    prompt: 'My name is Zorbek.',
    // OpenAI's package assumes that models with other names do not reason, unless it is forced.
    providerOptions: { openai: { reasoningEffort: 'high', forceReasoning: true } },
  });
  expect(text).toContain('Zorbek');
  expect(reasoningText ?? '').toMatch(expected);
  expect(usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0);
});

it('thinks with @ai-sdk/anthropic', async () => {
  const { reasoningText, text } = await generateText({
    ...optionsOf(anthropic()('hearth/starter-chat')),
    maxOutputTokens: 2000,
    prompt: 'What is 2 + 3?',
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
  });
  expect(reasoningText).toMatch(/\w/);
  expect(text).toMatch(/\w/);
});

it.each([
  ['@ai-sdk/openai', () => openai().embeddingModel('hearth/starter-embed')],
  ['@ai-sdk/openai-compatible', () => compatible().embeddingModel('hearth/starter-embed')],
] as const)('embeds with %s', async (_, embeddingModel) => {
  const { embeddings, usage } = await embedMany({
    model: embeddingModel(),
    values: ['The sea is calm.', 'The sky is blue.'],
  });
  expect(embeddings.map((vector) => vector.length)).toEqual([128, 128]);
  expect(usage.tokens).toBeGreaterThan(4);
});
