import OpenAI, { AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { startStreamableServer } from '../../setup/mcp/streamable-server.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useResource } from '../../setup/use-resource.ts';

const adder = useResource(() => startStreamableServer());
const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return {
    flags: [
      // Large enough that the answer is still running when the test aborts it.
      '--engine-context-length',
      '65536',
      '--mcp-allow-ephemeral',
      `--mcp-allowed-hosts=${new URL(adder.url).host}`,
    ],
  };
});
const model = 'hearth/starter-chat';
const embeddingModel = 'hearth/starter-embed';
const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content });

describe.each(['/api/v0', '/v1'])('openai at %s', (path) => {
  const connect = () =>
    new OpenAI({ baseURL: hearth.url + path, apiKey: 'any-word', maxRetries: 0 });
  const question = { model, temperature: 0, messages: [user('What is the capital of France?')] };

  it('lists the models', async () => {
    const models: OpenAI.Model[] = [];
    for await (const each of connect().models.list()) models.push(each);
    expect(models.map(({ id }) => id)).toContain(model);
    expect(models[0]).toMatchObject({ owned_by: 'hearth', created: expect.any(Number) });
  });

  // covers api-12
  it('chats, whole and streamed, with the usage once', async () => {
    const whole = await connect().chat.completions.create(question);
    expect(whole.choices[0]?.message.content).toContain('Paris');
    const chunks = [];
    for await (const chunk of await connect().chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      chunks.push(chunk);
    }
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(whole.choices[0]?.message.content);
    const counted = chunks.flatMap(({ usage }) => (usage == null ? [] : [usage]));
    expect(counted).toHaveLength(1);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
  });

  it('runs a tool through its helper and answers from the result', async () => {
    const runner = connect().chat.completions.runTools({
      model,
      temperature: 0,
      messages: [user('Get the tide of Brest')],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_tide',
            description: 'Tide of a harbour',
            parameters: {
              type: 'object',
              properties: { harbour: { type: 'string' } },
              required: ['harbour'],
            },
            parse: JSON.parse,
            function: ({ harbour }: { harbour: string }) => ({ harbour, tide: 'high' }),
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain('high');
  });

  it('parses structured output', async () => {
    const { choices } = await connect().chat.completions.parse({
      model,
      temperature: 0,
      messages: [user('What is 2 + 3?')],
      response_format: zodResponseFormat(z.object({ answer: z.int() }), 'sum'),
    });
    expect(choices[0]?.message.parsed).toEqual({ answer: expect.any(Number) });
  });

  it('completes prompts', async () => {
    const { choices } = await connect().completions.create({
      model,
      prompt: ['The sea is', 'The sky is'],
      max_tokens: 4,
      temperature: 0,
    });
    expect(choices.map(({ index }) => index)).toEqual([0, 1]);
  });

  it('embeds texts; it asks for base64 by itself', async () => {
    const { data, usage } = await connect().embeddings.create({
      model: embeddingModel,
      input: ['The sea is calm.', 'The sky is blue.'],
    });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([128, 128]);
    expect(usage.prompt_tokens).toBeGreaterThan(4);
  });

  it('throws typed errors, also for a long context', async () => {
    const missing = connect().chat.completions.create({ ...question, model: 'nobody/nothing' });
    await expect(missing).rejects.toBeInstanceOf(NotFoundError);
    await expect(missing).rejects.toMatchObject({ code: 'model_not_found' });
    const hot = connect().chat.completions.create({ ...question, temperature: 3 });
    await expect(hot).rejects.toBeInstanceOf(BadRequestError);
    await expect(hot).rejects.toMatchObject({ param: 'temperature' });
    const tooLong = connect().chat.completions.create({
      ...question,
      messages: [user('word '.repeat(20_000))],
      stream: true,
    });
    await expect(tooLong).rejects.toBeInstanceOf(BadRequestError);
    await expect(tooLong).rejects.toMatchObject({ code: 'context_length_exceeded' });
  });

  it('stops the generation when it is aborted midway', async () => {
    const running = await connect().chat.completions.create({
      model: endlessModel,
      messages: [user('Tell me a story')],
      stream: true,
    });
    for await (const chunk of running) {
      expect(chunk.object).toBe('chat.completion.chunk');
      // Chunks that arrived before the abort are still read.
      if (running.controller.signal.aborted) continue;
      await waitForRequests(hearth.url, endlessModel, 1);
      running.controller.abort();
    }
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});

describe('openai with conversations', () => {
  it('approves a call in one, and lists its items', async () => {
    const client = new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any-word', maxRetries: 0 });
    const conversation = await client.conversations.create({ metadata: { topic: 'sums' } });
    const request = {
      model,
      temperature: 0,
      reasoning: { effort: 'none' },
      conversation: conversation.id,
      max_output_tokens: 80,
      tools: [
        {
          type: 'mcp',
          server_label: 'adder',
          server_url: adder.url,
          require_approval: 'always',
        },
      ],
    } as const;
    const { output } = await client.responses.create({
      ...request,
      tools: [{ ...request.tools[0], allowed_tools: ['add'] }],
      input: 'Add 2 and 3.',
      tool_choice: 'required',
    });
    const pending = output.find((item) => item.type === 'mcp_approval_request');
    const approval = { approval_request_id: pending?.id ?? '', approve: true };
    const input = [{ type: 'mcp_approval_response' as const, ...approval }];
    const stream = client.responses.stream({
      ...request,
      tools: [{ ...request.tools[0], allowed_tools: ['add'] }],
      input,
    });
    const made = (await stream.finalResponse()).output.find((item) => item.type === 'mcp_call');
    expect(made).toMatchObject({ status: 'completed', approval_request_id: pending?.id });
    const types = [];
    for await (const item of client.conversations.items.list(conversation.id)) {
      types.push(item.type);
    }
    expect(types).toContain('mcp_approval_response');
    expect(types).toContain('mcp_list_tools');
  });
});

describe('openai on a server with tokens', () => {
  const locked = useHearth({ flags: ['--auth-required'] });
  it.each(['/api/v0', '/v1'])('throws an authentication error at %s', async (path) => {
    const client = new OpenAI({ baseURL: locked.url + path, apiKey: 'wrong', maxRetries: 0 });
    const failure = client.chat.completions.create({ model, messages: [user('Hello!')] });
    await expect(failure).rejects.toBeInstanceOf(AuthenticationError);
    await expect(failure).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});
