import { Ollama, type ChatResponse, type GenerateResponse, type Message, type Tool } from 'ollama';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import type { OllamaChatAnswer } from '../../../src/api/ollama/chat-schema.ts';
import type { OllamaGenerateAnswer } from '../../../src/api/ollama/generate-schema.ts';
import { startFakeHub } from '../../setup/hub/fake-hub.ts';
import { starterPath } from '../../setup/engine/test-engines.ts';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useResource } from '../../setup/use-resource.ts';

const hub = useResource(() =>
  startFakeHub({
    repositories: [
      {
        name: 'acme/Parrot-GGUF',
        files: { 'Parrot-Q8_0.gguf': { filePath: starterPath('chat') } },
      },
    ],
  }),
);
const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return { environment: { HEARTH_HUB_ENDPOINT: hub.url } };
});
const connect = () => new Ollama({ host: hearth.url });

const model = 'starter-chat';
const question = {
  model,
  options: { temperature: 0 },
  think: false,
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
};
const tideTool: Tool = {
  type: 'function',
  function: {
    name: 'get_tide',
    description: 'Tide of a harbour',
    parameters: {
      type: 'object',
      properties: { harbour: { type: 'string' } },
      required: ['harbour'],
    },
  },
};

describe('ollama of npm', () => {
  it('has the types of the answers', () => {
    // The client declares the time as a Date, and the statistics as present in every line.
    type Sent<Line> = { [Name in keyof Line]-?: Exclude<Line[Name], undefined> };
    type Shared = Exclude<keyof OllamaChatAnswer & keyof ChatResponse, 'created_at' | 'message'>;
    expectTypeOf<Sent<Pick<OllamaChatAnswer, Exclude<Shared, 'logprobs'>>>>().toExtend<
      Pick<ChatResponse, Exclude<Shared, 'logprobs'>>
    >();
    type Call = NonNullable<Message['tool_calls']>[number];
    expectTypeOf<NonNullable<OllamaChatAnswer['message']['tool_calls']>[number]>().toExtend<Call>();
    expectTypeOf<Pick<OllamaChatAnswer['message'], 'role' | 'content'>>().toExtend<
      Pick<Message, 'role' | 'content'>
    >();
    expectTypeOf<Sent<Pick<OllamaGenerateAnswer, 'response' | 'thinking' | 'done'>>>().toExtend<
      Pick<GenerateResponse, 'response' | 'thinking' | 'done'>
    >();
  });

  // covers api-12
  it('chats, whole and streamed, with the usage once', async () => {
    const whole = await connect().chat(question);
    expect(whole.message.content).toContain('Paris');
    const parts: ChatResponse[] = [];
    for await (const part of await connect().chat({ ...question, stream: true })) parts.push(part);
    expect(parts.map(({ message }) => message.content).join('')).toBe(whole.message.content);
    const counted = parts.filter(({ eval_count: count }) => count !== undefined);
    expect(counted).toHaveLength(1);
    expect(parts.at(-1)).toMatchObject({
      done: true,
      eval_count: whole.eval_count,
      prompt_eval_count: whole.prompt_eval_count,
    });
  });

  it('runs a tool and answers from its result', async () => {
    const messages: Message[] = [{ role: 'user', content: 'Get the tide of Brest' }];
    const first = await connect().chat({ ...question, messages, tools: [tideTool] });
    const [call] = first.message.tool_calls ?? [];
    expect(call?.function).toMatchObject({ name: 'get_tide', arguments: { harbour: 'Brest' } });
    messages.push(first.message, {
      role: 'tool',
      tool_name: 'get_tide',
      content: JSON.stringify({ harbour: 'Brest', tide: 'high' }),
    });
    const second = await connect().chat({ ...question, messages, tools: [tideTool] });
    expect(second.message.content).toContain('high');
  });

  it('parses structured output', async () => {
    const sum = z.object({ answer: z.number() });
    const { message } = await connect().chat({
      ...question,
      messages: [{ role: 'user', content: 'Add 2 and 3' }],
      format: z.toJSONSchema(sum),
    });
    expect(sum.parse(JSON.parse(message.content))).toEqual({ answer: expect.any(Number) });
  });

  it('generates, with reasoning apart', async () => {
    const { response, thinking } = await connect().generate({
      model,
      prompt: 'My name is Zorbek.',
      think: true,
      options: { temperature: 0 },
    });
    expect(response).toContain('Zorbek');
    expect(thinking).toContain('Zorbek');
  });

  it('embeds', async () => {
    const { embeddings } = await connect().embed({
      model: 'starter-embed',
      input: ['sea', 'sand'],
    });
    expect(embeddings).toHaveLength(2);
    const { embedding } = await connect().embeddings({ model: 'starter-embed', prompt: 'sea' });
    expect(embedding).toHaveLength(embeddings[0]?.length ?? 0);
  });

  it('lists, shows, copies and deletes', async () => {
    await connect().copy({ source: model, destination: 'assistant' });
    const listed = (await connect().list()).models.map(({ name }) => name);
    expect(listed).toEqual(
      expect.arrayContaining(['hearth/starter-chat:latest', 'assistant:latest']),
    );
    expect((await connect().show({ model: 'assistant' })).capabilities).toContain('tools');
    await connect().delete({ model: 'assistant' });
    await expect(connect().show({ model: 'assistant' })).rejects.toThrow(/not found/);
    await connect().chat(question);
    expect((await connect().ps()).models[0]).toMatchObject({ name: 'hearth/starter-chat:latest' });
  });

  it('pulls with progress', async () => {
    const seen: string[] = [];
    for await (const { status } of await connect().pull({
      model: 'hf.co/acme/Parrot-GGUF:Q8_0',
      stream: true,
    })) {
      seen.push(status);
    }
    expect(seen[0]).toBe('pulling manifest');
    expect(seen.at(-1)).toBe('success');
    expect((await connect().chat({ ...question, model: 'parrot' })).done).toBe(true);
  });

  it('gets errors with their status', async () => {
    const missing = connect().chat({ ...question, model: 'startr-chat' });
    await expect(missing).rejects.toMatchObject({
      name: 'ResponseError',
      status_code: 404,
      error: expect.stringContaining('the nearest is "hearth/starter-chat"'),
    });
    const orphan = connect().chat({ ...question, messages: [{ role: 'tool', content: '1' }] });
    await expect(orphan).rejects.toMatchObject({ name: 'ResponseError', status_code: 400 });
    const long = [{ role: 'user', content: 'word '.repeat(40_000) }];
    await expect(connect().chat({ ...question, messages: long })).rejects.toMatchObject({
      status_code: 400,
      error: expect.stringContaining('context'),
    });
  });

  it('stops the generation when it aborts', async () => {
    const client = connect();
    const parts = await client.chat({ ...question, model: endlessModel, stream: true });
    await waitForRequests(hearth.url, endlessModel, 1);
    client.abort();
    const rest = async (): Promise<void> => {
      for await (const part of parts) expect(part.done).toBe(false);
    };
    await expect(rest()).rejects.toThrow(/abort/i);
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});
