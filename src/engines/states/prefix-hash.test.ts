import { describe, expect, it } from 'vitest';
import type { EngineMessage } from '../engine.ts';
import { charactersOf, commonCharacters, prefixHash, withAnswer, withText } from './prefix-hash.ts';

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(20);

function chat(messages: readonly EngineMessage[], ownerId: string | null = null, tools = false) {
  return prefixHash(ownerId, {
    kind: 'chat',
    messages,
    sampling: {},
    ...(tools ? { tools: [{ name: 'search', parameters: {} }] } : {}),
  });
}

const system: EngineMessage = { role: 'system', content: long };
const hello: EngineMessage = { role: 'user', content: 'Hello' };

describe('prefixHash', () => {
  it('has the same beginning for a conversation that continues', () => {
    const first = chat([system, hello]);
    const answered = withAnswer(first, { content: ' Hi! \n', toolCalls: [] });
    const next = chat([system, hello, { role: 'assistant', content: 'Hi!' }, hello]);
    expect(commonCharacters(answered, next)).toBe(charactersOf(answered));
    expect(charactersOf(answered)).toBe(long.length + 'Hello'.length + 'Hi!'.length);
  });

  it('ends the common beginning at the block that differs', () => {
    const changed = `${long.slice(0, 600)}X${long.slice(601)}`;
    const common = commonCharacters(chat([system]), chat([{ role: 'system', content: changed }]));
    expect(common).toBe(512);
  });

  it('has no common block for two mixes of adapters', () => {
    const mixed = (...adapters: { id: string; scale: number }[]) =>
      prefixHash(null, { kind: 'chat', messages: [system], sampling: {}, adapters });
    const one = { id: 'one', scale: 1 };
    const two = { id: 'two', scale: 1 };
    const both = mixed(one, two);
    for (const other of [mixed(), mixed(one), mixed(one, { ...two, scale: 0.5 })]) {
      expect(commonCharacters(both, other)).toBe(0);
    }
    expect(commonCharacters(both, mixed(two, one))).toBe(long.length);
    expect(commonCharacters(mixed(), chat([system]))).toBe(long.length);
  });

  it('has no common block for two owners, other tools or another role', () => {
    const prefix = chat([system, hello], 'one');
    expect(commonCharacters(prefix, chat([system, hello], 'two'))).toBe(0);
    expect(commonCharacters(prefix, chat([system, hello]))).toBe(0);
    expect(commonCharacters(prefix, chat([system, hello], 'one', true))).toBe(0);
    const user = chat([{ role: 'user', content: long }, hello], 'one');
    expect(commonCharacters(prefix, user)).toBe(0);
  });

  it('does not confuse two messages with one', () => {
    const one = chat([{ role: 'user', content: 'ab' }]);
    const two = chat([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ]);
    expect(commonCharacters(one, two)).toBe(0);
    expect(commonCharacters(chat([{ role: 'user', content: '' }, hello]), chat([hello]))).toBe(0);
  });

  it('treats a text and one text part alike, and distinguishes images and calls', () => {
    const image = (data: string): EngineMessage => ({
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', dataUrl: `data:image/png;base64,${data}` },
      ],
    });
    const text = chat([{ role: 'user', content: 'Look' }]);
    expect(commonCharacters(text, chat([image('AAAA')]))).toBe('Look'.length);
    expect(commonCharacters(chat([image('AAAA')]), chat([image('BBBB')]))).toBe('Look'.length);
    const call = (id: string, argumentsJson: string): EngineMessage => ({
      role: 'assistant',
      content: '',
      toolCalls: [{ id, name: 'search', argumentsJson }],
    });
    const called = withAnswer(chat([hello]), {
      content: '',
      toolCalls: [{ name: 'search', argumentsJson: '{"a":1}' }],
    });
    expect(called).toEqual(chat([hello, call('call_7', '{"a":1}')]));
    expect(called).not.toEqual(chat([hello, call('call_7', '{"a":2}')]));
  });

  it('covers raw prompts of text and of tokens', () => {
    const raw = (prompt: string | readonly number[]) =>
      prefixHash(null, { kind: 'completion', prompt, sampling: {} });
    expect(commonCharacters(raw(long), raw(`${long.slice(0, 256)}other`))).toBe(256);
    expect(charactersOf(withText(raw('Once'), ' and again, '))).toBe(16);
    const tokens = Array.from({ length: 200 }, (_, index) => index);
    expect(commonCharacters(raw(tokens), raw(tokens.slice(0, 130)))).toBe(512);
    expect(commonCharacters(raw(tokens), raw(long))).toBe(0);
  });
});
