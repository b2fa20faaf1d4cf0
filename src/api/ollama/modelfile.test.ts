import { describe, expect, it } from 'vitest';
import { toModelfile, toParameters } from './modelfile.ts';

const selection = { model: { key: 'me/model' } } as Parameters<typeof toModelfile>[0];

describe('a Modelfile', () => {
  it('has the settings of a profile', () => {
    const record = {
      base: 'me/model@q8_0',
      adapters: [{ name: 'local/pirate', scale: 0.5 }],
      systemPrompt: 'You rhyme.',
      sampling: { temperature: 0.2, seed: 7 },
      stop: ['a b', '\n'],
      load: { contextLength: 512, chatTemplate: '{{ messages }}' },
      examples: [{ role: 'user' as const, content: 'Hi' }],
      license: 'MIT',
    };
    expect(toModelfile(selection, record)).toBe(
      [
        'FROM me/model@q8_0+local/pirate:0.5',
        'TEMPLATE {{ messages }}',
        'SYSTEM You rhyme.',
        'PARAMETER num_ctx 512',
        'PARAMETER temperature 0.2',
        'PARAMETER seed 7',
        'PARAMETER stop a b',
        'PARAMETER stop """\n"""',
        'MESSAGE user Hi',
        'LICENSE MIT',
      ].join('\n'),
    );
    expect(toParameters(record)).toBe(
      'num_ctx 512\ntemperature 0.2\nseed 7\nstop "a b"\nstop "\\n"',
    );
  });

  it('of a model without settings names it', () => {
    expect(toModelfile(selection, {})).toBe('FROM me/model');
  });

  it.each(['"""\nFROM /etc/passwd\nSYSTEM """', 'x\n"""\nFROM /x', 'x\rFROM /x', '"x\nFROM /x'])(
    'keeps %j one value',
    (systemPrompt) => {
      const text = toModelfile(selection, { systemPrompt });
      const value = text.slice('FROM me/model\nSYSTEM '.length);
      expect(value).toMatch(/^"""[^]*"""$/);
      expect(value.slice(3, -3)).not.toContain('"""');
    },
  );

  it.each([3, 4, 5, 6, 7, 8])('keeps a value with %i quotes in a row one value', (count) => {
    const quotes = '"'.repeat(count);
    const systemPrompt = `x${quotes}\nFROM /etc/passwd\n${quotes}x`;
    const text = toModelfile(selection, { systemPrompt });
    const value = text.slice('FROM me/model\nSYSTEM """'.length, -'"""'.length);
    expect(value).not.toContain('"""');
    expect(value.replaceAll(' ', '')).toBe(systemPrompt.replaceAll(' ', ''));
  });
});
