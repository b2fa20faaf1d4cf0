import { describe, expect, it } from 'vitest';
import type { TurnRequest } from '../../../chat/turn-request.ts';
import { withPreset, withPresetFields, withPresetSampling } from './use-preset.ts';

const preset = {
  model: 'acme/other',
  system_prompt: 'You rhyme.',
  temperature: 0.9,
  top_k: 5,
  repeat_penalty: 1.1,
  max_output_tokens: 7,
  reasoning: 'low',
  context_length: 512,
  truncation: 'auto',
  response_format: { type: 'json_object' },
} as const;
const turn: TurnRequest = {
  model: 'acme/own',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  sampling: { temperature: 0.1, seed: 3 },
  integrations: [],
  isStored: false,
  waitsForLoad: false,
};

describe('withPreset', () => {
  it('adds what the turn leaves out, but for the limit of output tokens', () => {
    expect(withPreset(turn, preset)).toEqual({
      ...turn,
      systemPrompt: 'You rhyme.',
      sampling: { temperature: 0.1, seed: 3, topK: 5, repeatPenalty: 1.1 },
      reasoning: 'low',
      contextLength: 512,
      dropsOldTurns: true,
      responseFormat: { type: 'json_object' },
    });
  });

  it('keeps what the turn has', () => {
    const own = {
      ...turn,
      systemPrompt: 'Be brief.',
      reasoning: 'off',
      contextLength: 64,
      responseFormat: { type: 'text' },
    } as const;
    expect(withPreset(own, preset)).toMatchObject(own);
  });

  it.each([
    { instructions: 'Be brief.' },
    {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        ...turn.messages,
      ],
    },
  ] as const)('has no second system prompt beside %o', (own) => {
    expect(withPreset({ ...turn, ...own }, preset)).not.toHaveProperty('systemPrompt');
  });

  it('returns the turn itself without a preset', () => {
    expect(withPreset(turn, undefined)).toBe(turn);
    expect(withPresetSampling(turn, undefined)).toBe(turn);
  });
});

it('completes a chat and treats null as absent', () => {
  const body = { model: 'acme/own', input: 'Hi', temperature: 0, top_k: null };
  expect(withPresetFields(body, preset)).toEqual({ ...preset, ...body, top_k: 5 });
});
