import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { assertReasoning, reasoningOfEffort, type ReasoningEffort } from './reasoning.ts';

const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];
const switchable = modelEntry({ reasoning: { allowedOptions: ['off', 'on'], default: 'on' } });
const graded = modelEntry({
  reasoning: { allowedOptions: ['low', 'medium', 'high'], default: 'medium' },
});

describe('reasoningOfEffort', () => {
  it.each([
    ['can reason or not', switchable, ['off', 'on', 'on', 'on', 'on', 'on']],
    ['has levels', graded, ['off', 'low', 'low', 'medium', 'high', 'high']],
    ['does not reason', modelEntry(), [undefined, 'low', 'low', 'medium', 'high', 'high']],
  ])('chooses the setting of a model that %s', (_case, model, settings) => {
    expect(efforts.map((effort) => reasoningOfEffort(model, effort))).toEqual(settings);
  });
});

describe('assertReasoning', () => {
  it('accepts no setting for every model, and the settings that a model allows', () => {
    expect(() => assertReasoning(modelEntry(), undefined)).not.toThrow();
    expect(() => assertReasoning(switchable, undefined)).not.toThrow();
    expect(() => assertReasoning(switchable, 'off')).not.toThrow();
    expect(() => assertReasoning(graded, 'high')).not.toThrow();
  });

  it.each([
    [
      modelEntry(),
      'Reasoning "on" is not supported: test/model does not reason; leave the field out.',
    ],
    [graded, 'Reasoning "on" is not supported: test/model supports "low", "medium", "high".'],
  ])('names what a model allows', (model, message) => {
    expect(() => assertReasoning(model, 'on')).toThrow(
      expect.objectContaining({ code: 'unsupported_reasoning', field: 'reasoning', message }),
    );
  });
});
