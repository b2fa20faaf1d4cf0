import { expect, it } from 'vitest';
import { changedBounds, noBounds, toBounds } from './bounds.ts';

it('reads the typed texts, of which an empty one bounds nothing', () => {
  expect(toBounds(noBounds)).toEqual({
    requests_per_day: null,
    tokens_per_day: null,
    models: null,
    priority: 'normal',
  });
  const typed = { requestsPerDay: '5', tokensPerDay: '7', models: ' qwen/*, , a/b' };
  expect(toBounds({ ...typed, priority: 'background' })).toEqual({
    requests_per_day: 5,
    tokens_per_day: 7,
    models: ['qwen/*', 'a/b'],
    priority: 'background',
  });
});

it('leaves models out that did not change, since an empty list allows none', () => {
  const changed = { ...noBounds, tokensPerDay: '7' };
  expect(changedBounds(noBounds, changed)).toEqual({
    requests_per_day: null,
    tokens_per_day: 7,
    priority: 'normal',
  });
  expect(changedBounds({ ...noBounds, models: 'a/b' }, noBounds)).toMatchObject({ models: null });
});
