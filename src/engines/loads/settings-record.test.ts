import { describe, expect, it } from 'vitest';
import { changedOptions, settingsInForce, type SettingsRecord } from './settings-record.ts';

const load = { contextLength: 4096, parallel: 2, ttlSeconds: 60 };
const own: SettingsRecord = {
  load,
  isPinned: true,
  systemPrompt: 'You are brief.',
  sampling: { temperature: 0.7, topK: 20 },
  maxOutputTokens: 100,
  reasoning: 'on',
};
const inForce = (profile: SettingsRecord | undefined, alias?: string) =>
  settingsInForce(
    new Map([['a/b', own], ...(profile === undefined ? [] : [['coder', profile] as const])]),
    'a/b',
    alias,
  );

describe('the settings in force', () => {
  it.each<[string, SettingsRecord, Partial<SettingsRecord>]>([
    ['nothing', {}, { sampling: { temperature: 0.7, topK: 20 }, reasoning: 'on' }],
    ['sampling', { sampling: { temperature: 0 } }, { sampling: { temperature: 0, topK: 20 } }],
    ['a system prompt', { systemPrompt: 'You write code.' }, { systemPrompt: 'You write code.' }],
    ['no system prompt', { systemPrompt: '' }, { systemPrompt: '' }],
    [
      'reasoning',
      { reasoning: 'off', maxOutputTokens: 7 },
      { reasoning: 'off', maxOutputTokens: 7 },
    ],
    ['an idle time', { load: { ttlSeconds: 5 } }, { load: { ...load, ttlSeconds: 5 } }],
    ['the load of its model', { load: { parallel: 2 } }, { load }],
  ])('are those of the model where a profile has %s, on its instances', (_, profile, expected) => {
    const settings = inForce({ base: 'a/b', ...profile }, 'coder');
    expect(settings).toMatchObject({ maxOutputTokens: 100, ...expected, isPinned: false });
    expect(settings.profile).toBeUndefined();
  });

  it.each([
    { contextLength: 8192 },
    { chatTemplate: '{{ messages }}' },
    { gpuLayers: 0, ttlSeconds: 5 },
  ])('have instances of their own with %o', (other) => {
    expect(inForce({ base: 'a/b', load: other }, 'coder')).toMatchObject({
      profile: 'coder',
      load: { ...load, ...other },
    });
  });

  it('are those of the model without a name, and for an alias', () => {
    expect(inForce(undefined)).toBe(own);
    expect(inForce({ base: 'a/b' }, 'gpt-4')).toBe(own);
    // A key is not a profile.
    expect(inForce(undefined, 'a/b')).toBe(own);
    expect(settingsInForce(new Map(), 'a/b', 'coder')).toEqual({});
  });
});

it('names the options that differ, but for the idle time', () => {
  expect(
    changedOptions({ parallel: 1, gpuLayers: 2, ttlSeconds: 5 }, { parallel: 1, threads: 3 }),
  ).toEqual(['gpuLayers', 'threads']);
  expect(changedOptions(undefined, undefined)).toEqual([]);
});
