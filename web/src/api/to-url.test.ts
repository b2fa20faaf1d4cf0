import { expect, it } from 'vitest';
import { toUrl } from './to-url.ts';

it('encodes parameters: one segment, or the rest of the path', () => {
  expect(toUrl('/api/v1/responses/{response_id}', { params: { response_id: 'a/b?c' } })).toBe(
    '/api/v1/responses/a%2Fb%3Fc',
  );
  expect(toUrl('/api/v1/models/{model...}', { params: { model: 'hearth/starter chat@q8' } })).toBe(
    '/api/v1/models/hearth/starter%20chat%40q8',
  );
});

it('leaves absent values of the query out', () => {
  expect(toUrl('/x', { query: { limit: 20, search: undefined } })).toBe('/x?limit=20');
  expect(toUrl('/x', { query: { search: undefined } })).toBe('/x');
  expect(toUrl('/x', { query: { search: 'a & b' } })).toBe('/x?search=a+%26+b');
});
