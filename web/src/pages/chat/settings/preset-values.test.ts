import { expect, it } from 'vitest';
import type { ConversationSettings } from './conversation-settings.ts';
import { toPresetBody, withPreset } from './preset-values.ts';

const settings: ConversationSettings = {
  model: 'acme/one',
  systemPrompt: 'You rhyme.',
  temperature: 0,
  topP: 0.5,
  topK: 7,
  minP: 0.1,
  repeatPenalty: 1.2,
  maxOutputTokens: 9,
  contextLength: 512,
  reasoning: 'low',
  integrations: ['mcp/files', 'mcp/wiki'],
  allowedTools: { 'mcp/wiki': ['search'] },
  servers: [{ label: 'there', url: 'https://tools.example.org/mcp' }],
  dropsOldTurns: true,
  responseFormat: { type: 'json_object' },
};

it('keeps all settings in a preset, and the model if it is part of it', () => {
  expect(withPreset(toPresetBody(settings, false), 'acme/two')).toEqual({
    ...settings,
    model: 'acme/two',
  });
  expect(withPreset(toPresetBody(settings, true), 'acme/two')).toEqual(settings);
});

it('leaves out adapters, which presets do not have', () => {
  const adapters = { model: 'acme/one', scales: { 'me/pirate': 0.5 } };
  expect(toPresetBody({ ...settings, adapters }, true)).toEqual(toPresetBody(settings, true));
});

it('keeps nothing of settings that have their default', () => {
  const plain: ConversationSettings = { model: 'acme/one', systemPrompt: '', integrations: [] };
  expect(toPresetBody(plain, false)).toEqual({});
  expect(withPreset({}, 'acme/one')).toEqual(plain);
});
