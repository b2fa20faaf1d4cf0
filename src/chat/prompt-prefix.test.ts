import { expect, it } from 'vitest';
import { promptKeyLength } from '../engines/loads/policy/choose-instance.ts';
import { promptPrefix } from './prompt-messages.ts';

it('has the same beginning for turns of one conversation', () => {
  const question = { role: 'user', content: 'What is it?' } as const;
  const first = promptPrefix({ kind: 'chat', messages: [question] });
  const answer = { role: 'assistant', content: 'A cat.' } as const;
  const second = promptPrefix({ kind: 'chat', messages: [question, answer, question] });
  expect(second.startsWith(first)).toBe(true);
  expect(first).toBe('user\nWhat is it?\n');
});

it('represents an image by its size and a completion by its prompt', () => {
  const image = { type: 'image', dataUrl: `data:${'x'.repeat(95)}` } as const;
  const content = [image, { type: 'text', text: 'What is it?' } as const];
  expect(promptPrefix({ kind: 'chat', messages: [{ role: 'user', content }] })).toBe(
    'user\nimage 100\nWhat is it?\n',
  );
  expect(promptPrefix({ kind: 'completion', prompt: 'Once' })).toBe('Once');
});

it('is short for any length of the prompt', () => {
  const message = { role: 'user', content: 'x'.repeat(1_000_000) } as const;
  for (const request of [
    { kind: 'chat', messages: [message, message] } as const,
    { kind: 'completion', prompt: message.content } as const,
  ]) {
    expect(promptPrefix(request)).toHaveLength(promptKeyLength);
  }
});

it('is cut at its length, whatever the parts', () => {
  const chat = (...texts: readonly string[]) => {
    const messages = [
      { role: 'user', content: texts.map((text) => ({ type: 'text', text }) as const) } as const,
      { role: 'assistant', content: 'later' } as const,
    ];
    return promptPrefix({ kind: 'chat', messages });
  };
  // `user`, the first part and their line ends take all of it.
  const full = promptKeyLength - 'user\n\n'.length;
  expect(chat('x'.repeat(full - 1))).toBe(`user\n${'x'.repeat(full - 1)}\na`);
  expect(chat('x'.repeat(full))).toBe(`user\n${'x'.repeat(full)}\n`);
  expect(chat('x', 'y')).toBe('user\nx\ny\nassistant\nlater\n');
  const ids = Array.from({ length: 3000 }, () => 10);
  const prefix = promptPrefix({ kind: 'completion', prompt: ids });
  expect(prefix).toBe(ids.join().slice(0, promptKeyLength));
  expect(promptPrefix({ kind: 'completion', prompt: [1, 23] })).toBe('1,23');
});
