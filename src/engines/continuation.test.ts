import { describe, expect, it } from 'vitest';
import { canContinue, continueRequest } from './continuation.ts';
import type { ChatGeneration, CompletionGeneration, GenerationEvent } from './engine.ts';
import { AnswerRecorder } from './generation-account.ts';

const user = { role: 'user', content: 'Hello' } as const;
const chat: ChatGeneration = { kind: 'chat', messages: [user], sampling: {} };
const completion: CompletionGeneration = { kind: 'completion', prompt: 'Once', sampling: {} };
const image = { type: 'image', dataUrl: 'data:,' } as const;

function answerOf(...events: readonly GenerationEvent[]): AnswerRecorder {
  const answer = new AnswerRecorder();
  for (const event of events) answer.accept(event);
  return answer;
}

const text: GenerationEvent = { type: 'content.delta', text: 'Hi', tokens: 3 };
const thought: GenerationEvent = { type: 'reasoning.delta', text: 'Hm' };
const call: GenerationEvent = { type: 'toolCall.delta', index: 0, argumentsJson: '{' };

describe('canContinue', () => {
  it.each([
    ['a chat', chat, true],
    ['a chat with text as its format', { ...chat, responseFormat: { type: 'text' } }, true],
    ['a chat that may call tools', { ...chat, toolChoice: 'auto' }, true],
    ['a JSON object', { ...chat, responseFormat: { type: 'json_object' } }, false],
    ['a JSON schema', { ...chat, responseFormat: { type: 'json_schema', schema: {} } }, false],
    ['a call that is required', { ...chat, toolChoice: 'required' }, false],
    ['a call of a named tool', { ...chat, toolChoice: { name: 'look' } }, false],
    [
      'the end of a message',
      { ...chat, messages: [user, { role: 'assistant', content: 'A' }] },
      false,
    ],
    ['an image', { ...chat, messages: [{ role: 'user', content: [image] }] }, false],
    ['a raw prompt', completion, true],
    ['tokens', { ...completion, prompt: [1, 2] }, false],
    ['a gap', { ...completion, suffix: 'end' }, false],
  ] as const)('%s: %#', (_, request, expected) => {
    expect(canContinue(request, answerOf(text))).toBe(expected);
  });

  it('is false once a tool call has begun', () => {
    expect(canContinue(chat, answerOf(text, call))).toBe(false);
  });
});

describe('continueRequest', () => {
  it('is the request itself before the first token', () => {
    expect(continueRequest(chat, answerOf())).toBe(chat);
  });

  it('ends with the answer so far, and has what is left of the limit', () => {
    const answer = answerOf(thought, text);
    expect(continueRequest({ ...chat, maxTokens: 10 }, answer)).toEqual({
      ...chat,
      maxTokens: 6,
      messages: [user, { role: 'assistant', content: 'Hi', reasoning: 'Hm' }],
    });
    expect(continueRequest(chat, answerOf(text))).toEqual({
      ...chat,
      messages: [user, { role: 'assistant', content: 'Hi' }],
    });
    expect(continueRequest({ ...completion, maxTokens: 2 }, answerOf(text))).toEqual({
      ...completion,
      maxTokens: 1,
      prompt: 'OnceHi',
    });
  });
});
