import { describe, expect, it } from 'vitest';
import { startFailure } from './start-failure.ts';

const nothing = { exitCode: null, signal: null, lines: [] };

describe('startFailure', () => {
  it.each([
    ['an old processor', { ...nothing, signal: 'SIGILL' as const }, /processor lacks instructions/],
    ['an old processor, Windows', { ...nothing, exitCode: 3_221_225_501 }, /processor lacks/],
    ['no VC++ runtime', { ...nothing, exitCode: 3_221_225_781 }, /Visual C\+\+/],
    ['the loader of another C library', { ...nothing, errorCode: 'ENOENT' }, /musl/],
    [
      'musl',
      { ...nothing, exitCode: 127, lines: ['Error relocating ./llama-server: gnu_get: symbol'] },
      /musl/,
    ],
    [
      'a library that musl does not find',
      { ...nothing, lines: ['Error loading shared library libgomp.so.1: No such file'] },
      /libgomp\.so\.1/,
    ],
    [
      'a missing library',
      {
        ...nothing,
        exitCode: 127,
        lines: [
          'llama-server: error while loading shared libraries: libcuda.so.1: cannot open shared object file',
        ],
      },
      /library libcuda\.so\.1/,
    ],
    [
      'an older glibc',
      { ...nothing, lines: ["/lib/libc.so.6: version `GLIBC_2.38' not found (required by x)"] },
      /needs GLIBC_2\.38/,
    ],
  ])('explains %s', (_, facts, sentence) => {
    expect(startFailure(facts)).toMatch(sentence);
  });

  it.each([
    nothing,
    { ...nothing, exitCode: 1, lines: ['failed to load model'] },
    { ...nothing, signal: 'SIGSEGV' as const },
    { ...nothing, errorCode: 'EACCES' },
  ])('does not know the cause of %j', (facts) => {
    expect(startFailure(facts)).toBeUndefined();
  });
});
