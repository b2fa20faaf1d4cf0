import { describe, expect, it } from 'vitest';
import { parseVersion } from './binary-version.ts';

describe('parseVersion', () => {
  it.each([
    ['version: 5606 (2e89f76b)\nbuilt with cc', 'b5606'],
    ['load_backend: loaded CPU\nversion: 0.6.0-dev (build 11541, commit c1a3166)\n', 'b11541'],
    ['version: 0.6.0-dev build 11541', 'b11541'],
    ['version: 0.6.0', undefined],
    ['', undefined],
  ])('reads %j', (output, version) => {
    expect(parseVersion(output)).toBe(version);
  });
});
