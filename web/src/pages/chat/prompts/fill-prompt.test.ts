import { expect, it } from 'vitest';
import { fillPrompt, variablesOf } from './fill-prompt.ts';

const text = 'Into {{ language = German }}: {{text}} ({{language}}) {{}} {{ }} {single}';

it('finds each variable once, with its default', () => {
  expect(variablesOf(text)).toEqual([
    { name: 'language', value: 'German' },
    { name: 'text', value: '' },
  ]);
  expect(variablesOf('{{a}} {{a=1}}')).toEqual([{ name: 'a', value: '1' }]);
  expect(variablesOf('No variables')).toEqual([]);
});

it('fills in values, which are not searched for variables', () => {
  const values = new Map([
    ['language', '{{text}}'],
    ['text', '$& $1'],
  ]);
  expect(fillPrompt(text, values)).toBe('Into {{text}}: $& $1 ({{text}}) {{}} {{ }} {single}');
});
