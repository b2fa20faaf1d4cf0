import { testContext } from '../../test/setup/test-context.ts';
import { expect, it } from 'vitest';
import { modelSelection } from '../../test/setup/models/model-entry.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import type { TurnRequest } from './turn-request.ts';
import { targetOf, toTargeted } from './request-target.ts';

const { model, variant } = modelSelection({
  reasoning: { allowedOptions: ['off', 'on'], default: 'on' },
});

const turn: TurnRequest = {
  model: model.key,
  messages: [],
  sampling: {},
  integrations: [],
  isStored: false,
  waitsForLoad: false,
};
const defaults = {
  sampling: { temperature: 0.2, topK: 5 },
  maxOutputTokens: 9,
  reasoning: 'off',
} as const;

it.each<[string, Partial<TurnRequest>, ModelTarget['defaults'], Partial<TurnRequest>]>([
  ['completes a turn', {}, defaults, defaults],
  [
    'keeps the values of the turn',
    { sampling: { temperature: 0, seed: 1 }, maxOutputTokens: 3, reasoning: 'on' },
    defaults,
    { sampling: { temperature: 0, topK: 5, seed: 1 }, maxOutputTokens: 3, reasoning: 'on' },
  ],
  ['adds nothing without settings', {}, undefined, {}],
  ['leaves out reasoning that the model does not have', {}, { reasoning: 'high' }, {}],
])('%s', async (_, changes, settings, expected) => {
  const target = { selection: { model, variant }, ...(settings && { defaults: settings }) };
  const pool = { resolve: async () => target };
  const request = { ...turn, ...changes };
  const found = await targetOf(pool, request, testContext().caller);
  expect(toTargeted(request, found)).toEqual({
    ...request,
    ...expected,
    target,
  });
});
