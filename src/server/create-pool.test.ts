import { expect, it } from 'vitest';
import { defaultPromptCacheMiB } from './create-pool.ts';

it.each([
  [4, 512],
  [16, 1024],
  [128, 8192],
])(
  'keeps a sixteenth of %i GiB for cached prompts, and at least 512 MiB',
  (gibibytes, expected) => {
    expect(defaultPromptCacheMiB(gibibytes * 1024 ** 3)).toBe(expected);
  },
);
