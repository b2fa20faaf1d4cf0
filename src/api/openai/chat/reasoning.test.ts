import { expect, it } from 'vitest';
import { modelEntry } from '../../../../test/setup/models/model-entry.ts';
import { toReasoning } from './reasoning.ts';

const thinker = modelEntry({ reasoning: { allowedOptions: ['off', 'on'], default: 'on' } });
const speaker = modelEntry({ reasoning: null });
const thinking = (enabled: boolean | null) => ({
  chat_template_kwargs: { enable_thinking: enabled },
});

it('is the setting of the effort, or of enable_thinking', () => {
  expect(toReasoning(thinker, {})).toBeUndefined();
  expect(toReasoning(thinker, { reasoning_effort: 'high' })).toBe('on');
  expect(toReasoning(thinker, { reasoning_effort: 'none' })).toBe('off');
  expect(toReasoning(thinker, thinking(true))).toBe('on');
  expect(toReasoning(thinker, thinking(false))).toBe('off');
  expect(toReasoning(thinker, thinking(null))).toBeUndefined();
  expect(toReasoning(thinker, { chat_template_kwargs: null })).toBeUndefined();
  expect(toReasoning(thinker, { reasoning_effort: 'low', ...thinking(true) })).toBe('on');
  expect(toReasoning(speaker, thinking(false))).toBeUndefined();
});

it('refuses what a model cannot do, and contradictions', () => {
  const param = 'chat_template_kwargs.enable_thinking';
  expect(() => toReasoning(speaker, thinking(true))).toThrow(
    expect.objectContaining({ code: 'unsupported_reasoning', param }),
  );
  for (const [effort, enabled] of [
    ['none', true],
    ['high', false],
  ] as const) {
    expect(() => toReasoning(thinker, { reasoning_effort: effort, ...thinking(enabled) })).toThrow(
      expect.objectContaining({ code: 'invalid_value', param }),
    );
  }
});
