import { expect, it } from 'vitest';
import { promptCacheMiB } from './create-pool.ts';

it.each([
  [4, 512],
  [16, 1024],
  [128, 8192],
])(
  'keeps a sixteenth of %i GiB for cached prompts, and at least 512 MiB',
  (gibibytes, expected) => {
    expect(promptCacheMiB(gibibytes * 1024 ** 3)).toBe(expected);
  },
);
