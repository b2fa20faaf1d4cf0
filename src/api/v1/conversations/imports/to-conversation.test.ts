import { expect, it } from 'vitest';
import type { ImportedChat, ImportedMessage } from './imported-chat.ts';
import { toConversation } from './to-conversation.ts';

const message = (
  id: string,
  parentId: string | null,
  role: 'user' | 'assistant',
  text = id,
): ImportedMessage => ({
  id,
  parentId,
  role,
  parts: text === '' ? [] : [{ type: 'text', text }],
});
const chat = (messages: readonly ImportedMessage[], currentId?: string): ImportedChat => ({
  title: '',
  createdAt: new Date(0),
  model: 'm',
  messages,
  currentId,
  leftOut: { images: 0, files: 0, parts: 0 },
});
const shapeOf = (messages: readonly ImportedMessage[], currentId?: string) =>
  toConversation(chat(messages, currentId)).responses.map(({ id, parentId }) => [parentId, id]);

it('takes the first words as the title of a chat without one', () => {
  expect(toConversation(chat([message('Hello you', null, 'user')])).title).toBe('Hello you');
});

it('joins messages of the model, but not those that branches share', () => {
  const shape = shapeOf([
    message('q', null, 'user'),
    message('a', 'q', 'assistant'),
    message('b', 'a', 'assistant'),
    message('c1', 'b', 'assistant'),
    message('c2', 'b', 'assistant'),
    message('q2', 'c1', 'user'),
  ]);
  expect(shape).toEqual([
    [null, 'b'],
    ['b', 'c1'],
    ['c1', 'q2'],
    ['b', 'c2'],
  ]);
});

it('keeps questions without answers, and those that follow each other', () => {
  const shape = shapeOf([
    message('q1', null, 'user'),
    message('q2', 'q1', 'user'),
    message('a2', 'q2', 'assistant'),
    message('a1', 'q1', 'assistant'),
  ]);
  expect(shape).toEqual([
    [null, 'q1'],
    ['q1', 'a2'],
    [null, 'a1'],
  ]);
});

it('leaves messages without content out, and takes those without a parent as beginnings', () => {
  const shape = shapeOf([
    message('root', null, 'assistant', ''),
    message('q', 'root', 'user'),
    message('empty', 'q', 'assistant', ''),
    message('a', 'empty', 'assistant'),
    message('orphan', 'missing', 'user'),
  ]);
  expect(shape).toEqual([
    [null, 'a'],
    [null, 'orphan'],
  ]);
});

it('ends with the branch that was shown', () => {
  const messages = [
    message('q', null, 'user'),
    message('a', 'q', 'assistant'),
    message('b', 'q', 'assistant'),
  ];
  expect(shapeOf(messages, 'a').at(-1)).toEqual([null, 'a']);
  expect(shapeOf(messages, 'missing').at(-1)).toEqual([null, 'b']);
});

it.each([
  ['no messages', [], 'It has no messages.'],
  ['a circle', [message('a', 'b', 'user'), message('b', 'a', 'user')], 'form a circle'],
  ['a message that continues itself', [message('a', 'a', 'user')], 'form a circle'],
  ['an id twice', [message('a', null, 'user'), message('a', null, 'user')], 'same id'],
  ['a huge message', [message('a', null, 'user', 'a'.repeat(4_194_305))], '4194305 characters'],
  [
    'too many messages',
    Array.from({ length: 20_001 }, (_, index) => message(`${index}`, null, 'user')),
    '20001 messages',
  ],
  [
    'a large question with very many answers',
    [
      message('q', null, 'user', 'a'.repeat(1_000_000)),
      ...Array.from({ length: 100 }, (_, index) => message(`${index}`, 'q', 'assistant')),
    ],
    'too much text',
  ],
])('refuses %s', (_, messages, reason) => {
  expect(() => toConversation(chat(messages))).toThrow(reason);
});

it('reads a long chain without recursion', () => {
  const messages = Array.from({ length: 20_000 }, (_, index) =>
    message(
      `${index}`,
      index === 0 ? null : `${index - 1}`,
      index % 2 === 0 ? 'user' : 'assistant',
    ),
  );
  expect(toConversation(chat(messages)).responses).toHaveLength(10_000);
});
