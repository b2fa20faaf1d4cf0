import Anthropic, { AuthenticationError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { picture } from '../../setup/models/picture.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});
const model = 'hearth/starter-chat';
const user = (content: string): Anthropic.MessageParam => ({ role: 'user', content });
/** The client has no types for sampling fields, which older clients send. */
const greedy = { temperature: 0 } as object;
const connect = (apiKey = 'any-word') =>
  new Anthropic({ baseURL: hearth.url, apiKey, maxRetries: 0 });
const question = {
  ...greedy,
  model,
  max_tokens: 200,
  messages: [user('What is the capital of France?')],
};
const textOf = ({ content }: Pick<Anthropic.Message, 'content'>): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describe('@anthropic-ai/sdk', () => {
  it('lists the models', async () => {
    const ids: string[] = [];
    for await (const each of connect().models.list()) ids.push(each.id);
    expect(ids).toContain(model);
  });

  // covers api-12
  it('chats, whole and streamed, with the usage once', async () => {
    const whole = await connect().messages.create(question);
    expect(textOf(whole)).toContain('Paris');
    const running = connect().messages.stream(question);
    const pieces: string[] = [];
    running.on('text', (piece) => pieces.push(piece));
    const streamed = await running.finalMessage();
    expect(pieces.join('')).toBe(textOf(whole));
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    const total = ({ usage }: Anthropic.Message) =>
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
    expect(total(streamed)).toBe(total(whole));
    const counted = await connect().messages.countTokens({ model, messages: question.messages });
    expect(counted.input_tokens).toBe(total(whole));
  });

  it('runs a tool through its helper and answers from the result', async () => {
    const getTide = betaZodTool({
      name: 'get_tide',
      description: 'Tide of a harbour',
      inputSchema: z.object({ harbour: z.string() }),
      run: ({ harbour }) => `{"harbour": "${harbour}", "tide": "high"}`,
    });
    const runner = connect().beta.messages.toolRunner({
      ...greedy,
      model,
      max_tokens: 200,
      messages: [{ role: 'user', content: 'Get the tide of Brest' }],
      tools: [getTide],
    });
    const { content } = await runner.runUntilDone();
    expect(JSON.stringify(content)).toContain('high');
  });

  it('parses structured output', async () => {
    const message = await connect().messages.parse({
      ...greedy,
      model,
      max_tokens: 100,
      messages: [user('What is 2 + 3?')],
      output_config: { format: zodOutputFormat(z.object({ answer: z.int() })) },
    });
    expect(message.parsed_output).toEqual({ answer: expect.any(Number) });
  });

  it('takes thinking, and sends it back', async () => {
    const request = {
      ...greedy,
      model,
      max_tokens: 400,
      thinking: { type: 'enabled', budget_tokens: 300 } as const,
    };
    const running = connect().messages.stream({ ...request, messages: [user('What is 2 + 3?')] });
    let thought = '';
    running.on('thinking', (piece) => (thought += piece));
    const first = await running.finalMessage();
    expect(first.content[0]).toMatchObject({ type: 'thinking', thinking: thought });
    const second = await connect().messages.create({
      ...request,
      messages: [
        user('What is 2 + 3?'),
        { role: 'assistant', content: first.content },
        user('Who are you?'),
      ],
    });
    expect(textOf(second)).not.toBe('');
  });

  it('shows a picture', async () => {
    const data = (await picture('red')).split(',')[1] ?? '';
    const message = await connect().messages.create({
      ...greedy,
      model: 'hearth/starter-vision',
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
            { type: 'text', text: 'What colour is the picture?' },
          ],
        },
      ],
    });
    expect(textOf(message).toLowerCase()).toContain('red');
  });

  it('throws typed errors, also for a long context', async () => {
    const missing = connect().messages.create({ ...question, model: 'nobody/nothing' });
    await expect(missing).rejects.toBeInstanceOf(NotFoundError);
    await expect(missing).rejects.toMatchObject({ type: 'not_found_error' });
    const tooLong = connect().messages.create({
      ...question,
      messages: [user('word '.repeat(20_000))],
      stream: true,
    });
    await expect(tooLong).rejects.toBeInstanceOf(BadRequestError);
    await expect(tooLong).rejects.toMatchObject({
      apiMessage: expect.stringContaining('prompt is too long'),
    });
  });

  it('stops the generation when it is aborted midway', async () => {
    const running = await connect().messages.create({
      model: endlessModel,
      messages: [user('Tell me a story')],
      max_tokens: 100_000,
      stream: true,
    });
    const events = running[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ type: 'message_start' });
    await waitForRequests(hearth.url, endlessModel, 1);
    running.controller.abort();
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});

describe('@anthropic-ai/sdk on a server with tokens', () => {
  const locked = useHearth({ flags: ['--auth-required'] });
  it('throws an authentication error', async () => {
    const client = new Anthropic({ baseURL: locked.url, apiKey: 'wrong', maxRetries: 0 });
    const failure = client.messages.create(question);
    await expect(failure).rejects.toBeInstanceOf(AuthenticationError);
    await expect(failure).rejects.toMatchObject({ type: 'authentication_error' });
  });
});
