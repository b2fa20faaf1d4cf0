import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createAliasSource } from './alias-source.ts';
import { SettingsError } from './settings-error.ts';

async function open(content?: string, environment: Record<string, string> = {}) {
  const home = await temporaryFolder();
  const file = join(home, 'config.json');
  if (content !== undefined) await writeFile(file, content);
  const faults: SettingsError[] = [];
  const source = createAliasSource({ home, environment, flags: {} }, (error) => faults.push(error));
  return { source, file, faults };
}

it('creates the file, which only the user may read', async () => {
  const { source, file } = await open();
  expect(await source.read()).toEqual({});
  await source.write('gpt', 'a/b');
  expect(await source.read()).toEqual({ gpt: 'a/b' });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ models: { aliases: { gpt: 'a/b' } } });
  expect((await stat(file)).mode & 0o077).toBe(0);
});

it.each([
  [
    '{\n  "server": { "port": 8080 },\n  "models": { "aliases": { "x": "a/b" } }\n}\n',
    '"server": { "port": 8080 }',
  ],
  ['{\n  "models.jit":   false,\n  "models.aliases": { "x": "a/b" }\n}\n', '"models.jit":   false'],
])('changes one alias and keeps the rest unchanged', async (content, kept) => {
  const { source, file } = await open(content);
  await source.write('claude-*', 'a/c');
  expect(await source.read()).toEqual({ x: 'a/b', 'claude-*': 'a/c' });
  await source.write('x', undefined);
  expect(await source.read()).toEqual({ 'claude-*': 'a/c' });
  expect(await readFile(file, 'utf8')).toContain(kept);
});

it('keeps the aliases while the file is invalid, and reports it once', async () => {
  const { source, file, faults } = await open('{"models": {"aliases": {"x": "a/b"}}}');
  await source.read();
  await writeFile(file, '{"models": {"aliases": {"x y*z*": "a/b"}}}');
  expect(await source.read()).toEqual({ x: 'a/b' });
  expect(await source.read()).toEqual({ x: 'a/b' });
  expect(faults.map(({ message }) => message)).toEqual([
    expect.stringContaining('at most one "*"'),
  ]);
  await expect(source.write('x', 'a/c')).rejects.toBeInstanceOf(SettingsError);
  await writeFile(file, '{}');
  expect(await source.read()).toEqual({});
});

it('keeps all aliases that are written at the same time', async () => {
  const { source, file } = await open('{}');
  const other = createAliasSource({ home: dirname(file), environment: {}, flags: {} });
  const names = Array.from({ length: 8 }, (_, index) => `alias-${index}`);
  await Promise.all(
    names.map((name, index) => (index % 2 === 0 ? source : other).write(name, 'a/b')),
  );
  expect(await source.read()).toEqual(Object.fromEntries(names.map((name) => [name, 'a/b'])));
});

it('is fixed where a variable sets it', async () => {
  const { source } = await open('{}', { HEARTH_MODELS_ALIASES: '{"gpt": "a/b"}' });
  expect(source.isFixed).toBe(true);
  expect(await source.read()).toEqual({ gpt: 'a/b' });
});

const refused = [
  'gpt=a/b',
  '["a"]',
  '{"a": 1}',
  '{"a": ""}',
  '{"a": []}',
  '{"a": ["b", 1]}',
  '{"a": [{"when": "loaded"}]}',
  '{"a": [{"model": "b", "when": "idle"}]}',
  '{"a": [{"model": "b", "maxWaitSeconds": -1}]}',
  '{"a": [{"model": "b", "fallback": "c"}]}',
];

it('reads chains of models', async () => {
  const chain = ['a/b', { model: 'a/c', when: 'loaded', maxWaitSeconds: 2.5 }];
  const { source } = await open('{}', { HEARTH_MODELS_ALIASES: JSON.stringify({ x: chain }) });
  expect(await source.read()).toEqual({ x: chain });
});

it.each(refused)('rejects %s', async (value) => {
  const { source } = await open('{}', { HEARTH_MODELS_ALIASES: value });
  await expect(source.read()).rejects.toThrow('object such as {"alias"');
});
