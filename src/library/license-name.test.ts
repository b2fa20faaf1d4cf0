import { expect, it } from 'vitest';
import { isOpenLicense, licenseNameFrom } from './license-name.ts';

it.each(['apache-2.0', 'MIT', 'bsd-3-clause', 'cc-by-4.0', 'Apache-2.0', 'gpl-3.0', 'cc0-1.0'])(
  '%s is open',
  (name) => {
    expect(isOpenLicense(name)).toBe(true);
  },
);

it.each(['gemma', 'llama3.2', 'qwen-research', 'cc-by-nc-4.0', 'other', 'lfm1.0', '', 'mit-like'])(
  '%j may have conditions',
  (name) => {
    expect(isOpenLicense(name)).toBe(false);
  },
);

it.each([
  ['\nApache License\n  Version 2.0, January 2004', 'apache-2.0'],
  ['The MIT License (MIT)', 'mit'],
  ['\n\nGemma Terms of Use\n', 'Gemma Terms of Use'],
  ['\n', undefined],
])('reads the name of %j', (text, name) => {
  expect(licenseNameFrom(text)).toBe(name);
});
