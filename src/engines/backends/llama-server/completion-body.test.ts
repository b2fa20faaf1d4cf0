import { expect, it } from 'vitest';
import { completionCall } from './completion-body.ts';

const request = { kind: 'completion', prompt: 'def ', sampling: { seed: 1 } } as const;

it('sends a raw prompt', () => {
  const { path, body } = completionCall({ ...request, topLogprobs: 0, maxTokens: 3 });
  expect(path).toBe('/completion');
  expect(body).toMatchObject({ prompt: 'def ', seed: 1, n_predict: 3, n_probs: 1, stream: true });
});

it('requests infill if there is a suffix', () => {
  const { path, body } = completionCall({ ...request, suffix: 'return 1' });
  expect(path).toBe('/infill');
  expect(body).toMatchObject({ input_prefix: 'def ', input_suffix: 'return 1' });
  expect(body).not.toHaveProperty('prompt');
});
