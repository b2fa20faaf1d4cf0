import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  HumanMessage,
  type AIMessageChunk,
  type ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { expect, it } from 'vitest';
import * as z from 'zod';

/** Declares tests of a chat model of LangChain in the current suite. */
export function testChatModel(chat: () => BaseChatModel): void {
  it('chats, whole and streamed, and counts the usage once', async () => {
    const question = 'What is the capital of France?';
    const whole = await chat().invoke(question);
    expect(whole.text).toContain('Paris');
    let sum: AIMessageChunk | undefined;
    for await (const chunk of await chat().stream(question)) sum = sum?.concat(chunk) ?? chunk;
    expect(sum?.text).toBe(whole.text);
    const expected = whole.usage_metadata as UsageMetadata | undefined;
    const counted = sum?.usage_metadata as UsageMetadata | undefined;
    expect(expected?.output_tokens).toBeGreaterThan(0);
    for (const name of ['input_tokens', 'output_tokens', 'total_tokens'] as const) {
      expect(counted?.[name]).toBe(expected?.[name]);
    }
  });

  it('calls a tool and answers from its result', async () => {
    const getTide = tool(({ harbour }) => `{"harbour": "${harbour}", "tide": "high"}`, {
      name: 'get_tide',
      description: 'Tide of a harbour',
      schema: z.object({ harbour: z.string() }),
    });
    const bound = chat().bindTools?.([getTide]);
    if (bound === undefined) throw new Error('The model takes no tools.');
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
}
