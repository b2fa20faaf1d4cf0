import { describe, expect, it } from 'vitest';
import { describeClock, describeSpace, describeProxy } from './check-machine.ts';
import { describeGrowth } from './check-database.ts';
import { describeGpu, findGpu } from './check-models.ts';
import { checks } from '../commands/doctor.ts';

it('has one name for each check', () => {
  expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
});

it.each([
  [100e9, 'ok'],
  [4e9, 'warning'],
  [1e8, 'problem'],
])('%d free bytes are %s', (bytes, level) => {
  expect(describeSpace(bytes, '/models').level).toBe(level);
});

it.each([
  [5e8, {}, []],
  [5e9, {}, ['warning']],
  [5e9, { 'store.retentionDays': 30 }, []],
  [5e9, { 'store.maxBytes': 10e9 }, []],
])('a database of %d bytes with %j is %j', (bytes, settings, levels) => {
  expect(describeGrowth(bytes, settings).map(({ level }) => level)).toEqual(levels);
});

describe('the GPU', () => {
  it('is found by the files of its driver', () => {
    const having = (path: string) => (candidate: string) => candidate === path;
    expect(findGpu('linux', having('/dev/nvidia0'))).toBe('An NVIDIA GPU');
    expect(findGpu('linux', having('/dev/kfd'))).toBe('An AMD GPU');
    expect(findGpu('linux', () => false)).toBeUndefined();
  });

  it('is named if the runtime does not use it', () => {
    expect(describeGpu('An NVIDIA GPU', 'llama.cpp-linux-x64-cpu')).toMatchObject({
      level: 'warning',
      remedy: expect.stringContaining('hearth runtime install'),
    });
    expect(describeGpu('An NVIDIA GPU', 'llama.cpp-linux-x64-cuda').level).toBe('ok');
    expect(describeGpu(undefined, 'llama.cpp-linux-x64-cpu').level).toBe('ok');
  });
});

it.each([
  [{}, 'ok'],
  [{ HTTPS_PROXY: 'http://proxy:3128' }, 'warning'],
  [{ https_proxy: 'http://proxy:3128', no_proxy: 'localhost,127.0.0.1' }, 'ok'],
  [{ HTTP_PROXY: 'proxy port 3128' }, 'problem'],
])('the proxy of %j is %s', (environment, level) => {
  const [finding] = describeProxy(environment);
  expect(finding?.level).toBe(level);
});

it('a clock before the files of Hearth is wrong', () => {
  const file = Date.parse('2026-11-22');
  expect(describeClock(Date.parse('2026-11-23'), file).level).toBe('ok');
  expect(describeClock(Date.parse('1970-01-02'), file).level).toBe('problem');
});
