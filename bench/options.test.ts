import { describe, expect, it } from 'vitest';
import { measurementNames } from './measurements/names.ts';
import { parseOptions, type BenchOptions } from './options.ts';

const parse = (...commandLine: readonly string[]): BenchOptions =>
  parseOptions(commandLine, () => {});

describe('parseOptions', () => {
  it('measures everything on the starter models by default', () => {
    expect(parse()).toMatchObject({
      model: undefined,
      against: undefined,
      rounds: 5,
      only: measurementNames,
      threads: 1,
      parallel: 8,
      maxTokens: 512,
      isJson: false,
    });
  });

  it('compares memory estimates on request, with additional files if set', () => {
    expect(parse().estimates).toBeUndefined();
    expect(parse('--estimates').estimates).toEqual([]);
    expect(parse('--estimates', 'a.gguf', 'b.gguf', '--json').estimates).toEqual([
      'a.gguf',
      'b.gguf',
    ]);
  });

  it('writes JSON to standard output or to a file', () => {
    expect(parse('--json')).toMatchObject({ isJson: true, jsonFile: undefined });
    expect(parse('--json', 'a.json')).toMatchObject({ isJson: true, jsonFile: 'a.json' });
  });

  it('bounds the answers of models that do not stop by themselves', () => {
    expect(parse('--model', 'a.gguf').maxTokens).toBe(128);
    expect(parse('--model', 'a.gguf', '--max-tokens', '64').maxTokens).toBe(64);
  });

  it('takes names separated by commas', () => {
    expect(parse('--only', 'throughput, start').only).toEqual(['throughput', 'start']);
  });

  it('lets a given number of rounds win over --quick', () => {
    expect(parse('--quick').rounds).toBe(1);
    expect(parse('--quick', '--rounds', '3').rounds).toBe(3);
  });

  it.each([
    ['at least 1', ['--rounds', '0']],
    ['at least 1', ['--threads', 'many']],
    ['Known are', ['--only', 'speed']],
    ['unknown option', ['--unknown']],
    ['too many arguments', ['extra']],
  ])('reports %j for %j', (reason, commandLine) => {
    let printed = '';
    const print = (text: string): void => {
      printed += text;
    };
    expect(() => parseOptions(commandLine, print)).toThrow(reason);
    expect(printed).toContain(reason);
  });
});
