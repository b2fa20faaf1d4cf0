import {
  HumanMessage,
  type AIMessageChunk,
  type ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOllama, OllamaEmbeddings } from '@langchain/ollama';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});

describe('@langchain/ollama', () => {
  const options = () => ({ baseUrl: hearth.url, maxRetries: 0 });
  const chat = (model = 'hearth/starter-chat') =>
    new ChatOllama({ ...options(), model, temperature: 0, think: false });

  it('chats, whole and streamed, and counts the usage once', async () => {
    const question = 'What is the capital of France?';
    const whole = await chat().invoke(question);
    expect(whole.text).toContain('Paris');
    let sum: AIMessageChunk | undefined;
    for await (const chunk of await chat().stream(question)) sum = sum?.concat(chunk) ?? chunk;
    expect(sum?.text).toBe(whole.text);
    const expected = whole.usage_metadata as UsageMetadata | undefined;
    expect(expected?.output_tokens).toBeGreaterThan(0);
    for (const name of ['input_tokens', 'output_tokens', 'total_tokens'] as const) {
      expect(sum?.usage_metadata?.[name]).toBe(expected?.[name]);
    }
  });

  it('calls a tool and answers from its result', async () => {
    const getTide = tool(() => '{"tide": "high"}', {
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

  it('embeds with its defaults', async () => {
    const embeddings = new OllamaEmbeddings({ ...options(), model: 'hearth/starter-embed' });
    const vectors = await embeddings.embedDocuments(['The sea is calm.', 'The sky is blue.']);
    expect(vectors.map((vector) => vector.length)).toEqual([128, 128]);
    expect(await embeddings.embedQuery('The sea is calm.')).toHaveLength(128);
  });

  it('throws the errors of the server', async () => {
    await expect(chat('nobody/nothing').invoke('Hello!')).rejects.toMatchObject({
      name: 'ResponseError',
      status_code: 404,
    });
  });

  it('stops the generation when it is aborted midway', async () => {
    const model = chat(endlessModel);
    const running = await model.stream('Tell me a story');
    let isAborted = false;
    const reading = (async () => {
      for await (const _ of running) {
        // It may hand out what it had received before.
        if (isAborted) continue;
        await waitForRequests(hearth.url, endlessModel, 1);
        // The signal of a call ends the reading only, and leaves the request open.
        model.client.abort();
        isAborted = true;
      }
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});
