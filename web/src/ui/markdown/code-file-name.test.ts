import { expect, it } from 'vitest';
import { codeFileName } from './code-file-name.ts';

it.each([
  ['Python', 'code.py'],
  ['C++', 'code.cpp'],
  ['json', 'code.json'],
  ['', 'code.txt'],
  ['objective-c', 'code.txt'],
])('names code in %j %s', (language, name) => {
  expect(codeFileName(language)).toBe(name);
});
