import { describe, expect, it } from 'vitest';
import {
  createModelAliases,
  findAlias,
  type AliasModels,
  type AliasSetting,
} from './model-aliases.ts';

const memory = (initial: Record<string, AliasModels> = {}, isFixed = false): AliasSetting => {
  const aliases = new Map(Object.entries(initial));
  return {
    isFixed,
    read: async () => Object.fromEntries(aliases),
    write: async (name, model) => {
      if (model === undefined) aliases.delete(name);
      else aliases.set(name, model);
    },
  };
};

describe('findAlias', () => {
  const aliases = [
    { name: '*', model: 'any' },
    { name: 'claude-*', model: 'claude' },
    { name: 'claude-*-haiku', model: 'haiku' },
    { name: 'claude-4-haiku', model: 'exact' },
    { name: 'aba*aba', model: 'overlap' },
  ];

  it.each([
    ['claude-4-haiku', 'exact'],
    ['Claude-4-Haiku', 'exact'],
    ['claude-3-haiku', 'haiku'],
    ['claude-3', 'claude'],
    ['claude-', 'claude'],
    ['claude', 'any'],
    ['aba', 'any'],
    ['abaaba', 'overlap'],
  ])('%s is %s', (name, model) => {
    expect(findAlias(aliases, name)?.model).toBe(model);
  });

  it('finds nothing where no alias matches', () => {
    expect(findAlias(aliases.slice(1), 'gpt')).toBeUndefined();
  });
});

describe('createModelAliases', () => {
  it('adds, replaces, lists and removes aliases, whatever their capitals', async () => {
    const aliases = createModelAliases(memory());
    await Promise.all([aliases.set('gpt', 'a/b'), aliases.set('claude-*', 'a/c')]);
    await aliases.set('GPT', 'a/d');
    expect(await aliases.list()).toEqual([
      { name: 'claude-*', model: 'a/c' },
      { name: 'gpt', model: 'a/d' },
    ]);
    expect(await aliases.remove('Gpt')).toBe(true);
    expect(await aliases.remove('gpt')).toBe(false);
    expect(await aliases.list()).toEqual([{ name: 'claude-*', model: 'a/c' }]);
  });

  it('has chains of models', async () => {
    const aliases = createModelAliases(memory());
    const loaded = { model: 'a/c', when: 'loaded' } as const;
    await aliases.set('x', ['a/b', loaded]);
    expect(await aliases.list()).toEqual([
      { name: 'x', model: 'a/b', chain: [{ model: 'a/b' }, loaded] },
    ]);
    await expect(aliases.set('y', [])).rejects.toMatchObject({ field: 'model' });
    await expect(aliases.set('y', ['a/b', ' '])).rejects.toMatchObject({ field: 'model' });
  });

  it.each(['', ' a', 'a ', 'a*b*', 'x'.repeat(257)])('refuses the alias "%s"', async (name) => {
    const setting = createModelAliases(memory()).set(name, 'a/b');
    await expect(setting).rejects.toMatchObject({ code: 'invalid_value', field: 'alias' });
  });

  it('needs a model', async () => {
    const setting = createModelAliases(memory()).set('a', '');
    await expect(setting).rejects.toMatchObject({ code: 'invalid_value', field: 'model' });
  });

  it('cannot change aliases that a flag sets', async () => {
    const aliases = createModelAliases(memory({ gpt: 'a/b' }, true));
    await expect(aliases.set('x', 'a/b')).rejects.toMatchObject({ code: 'conflict' });
    await expect(aliases.remove('gpt')).rejects.toMatchObject({ code: 'conflict' });
    expect(await aliases.remove('x')).toBe(false);
  });
});
