import { expect, it } from 'vitest';
import { resolvePath, resolveProgram } from './resolve-path.ts';

const folders = { home: '/data/hearth', userHome: '/home/ada' };

it.each([
  ['~', '/home/ada'],
  ['~/.ollama/models', '/home/ada/.ollama/models'],
  ['~bob/models', '/data/hearth/~bob/models'],
  ['/data/~/models', '/data/~/models'],
  ['models', '/data/hearth/models'],
  ['../models/', '/data/models'],
])('the path %s is %s', (path, resolved) => {
  expect(resolvePath(path, folders)).toBe(resolved);
});

it.each([
  ['llama-server', 'llama-server'],
  ['./llama-server', '/data/hearth/llama-server'],
  ['bin/llama-server', '/data/hearth/bin/llama-server'],
  ['~/llama-server', '/home/ada/llama-server'],
])('the program %s is %s', (program, resolved) => {
  expect(resolveProgram(program, folders)).toBe(resolved);
});

it('names a path of a user without a home folder', () => {
  const resolving = () => resolvePath('~/models', { ...folders, userHome: undefined });
  expect(resolving).toThrow('"~/models": this user has no home folder. Write the whole path.');
});
