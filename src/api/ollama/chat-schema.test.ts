import { expect, it } from 'vitest';
import { chatOllama } from './chat-schema.ts';

it.each(['USER', 'User', 'user'])('reads the role %s', (role) => {
  const { messages } = chatOllama.body.parse({ model: 'm', messages: [{ role, content: 'Hi' }] });
  expect(messages?.[0]?.role).toBe('user');
});
