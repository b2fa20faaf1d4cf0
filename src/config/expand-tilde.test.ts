import { expect, it } from 'vitest';
import { expandTilde } from './expand-tilde.ts';

it.each([
  ['~', '/home/ada'],
  ['~/.ollama/models', '/home/ada/.ollama/models'],
  ['~bob/models', '~bob/models'],
  ['/data/~/models', '/data/~/models'],
  ['models', 'models'],
])('%s is %s', (path, expanded) => {
  expect(expandTilde(path, '/home/ada')).toBe(expanded);
});
