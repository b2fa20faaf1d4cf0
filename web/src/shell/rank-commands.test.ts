import { expect, it } from 'vitest';
import { rankCommands } from './rank-commands.ts';

const items = ['New chat', 'Models', 'Choose a dark theme', 'Chat'].map((label) => ({ label }));
const labels = (query: string) => rankCommands(items, query).map(({ label }) => label);

it('keeps all commands without a query', () => {
  expect(labels(' ')).toHaveLength(4);
});

it('finds letters in their order, the closest first', () => {
  expect(labels('chat')).toEqual(['New chat', 'Chat', 'Choose a dark theme']);
  expect(labels('DARK t')).toEqual(['Choose a dark theme']);
  expect(labels('che')).toEqual(['Choose a dark theme']);
  expect(labels('xyz')).toEqual([]);
});
