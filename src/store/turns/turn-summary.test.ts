import { expect, it } from 'vitest';
import type { ConversationMessage } from './content.ts';
import { titleOf } from './turn-summary.ts';

const user = (...texts: readonly string[]): ConversationMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});

it.each([
  ['What is a tide?', [user('What is a tide?')]],
  ['Who wrote this?', [user('File a.txt:\n\n```\nOnce upon a time\n```', 'Who wrote  this?')]],
  ['A first text', [user('A first text', ' ')]],
  ['One', [user('One'), user('Two')]],
  ['An answer', [user(' ')]],
])('takes "%s" as the title', (title, messages) => {
  expect(titleOf({ messages, items: [{ type: 'message', text: 'An answer' }] })).toBe(title);
});
