import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

async function pageFor(tags: readonly string[], kept: string | null = null) {
  // Another test in this worker may have imported the module.
  vi.resetModules();
  vi.stubGlobal('navigator', { languages: tags });
  vi.stubGlobal('localStorage', { getItem: () => kept });
  return await import('./language.ts');
}

it.each([
  [['de-AT', 'en'], 'de', 'de-AT-u-nu-latn'],
  [['nl', 'pt-PT', 'en'], 'pt-BR', 'pt-PT-u-nu-latn'],
  [['zh-CN'], 'zh-Hans', 'zh-CN-u-nu-latn'],
  [['ar-EG'], 'ar', 'ar-EG-u-nu-latn'],
  [['nl', 'english'], 'en', 'en-u-nu-latn'],
  [['en-US@posix'], 'en', 'en-u-nu-latn'],
  [[], 'en', 'en-u-nu-latn'],
])('takes the first of the languages %j that the app has', async (tags, language, locale) => {
  expect(await pageFor(tags)).toMatchObject({ language, locale, keptLanguage: undefined });
});

it('prefers the choice of the user, and ignores one that it does not have', async () => {
  expect(await pageFor(['de'], 'ja')).toMatchObject({ language: 'ja', locale: 'ja-u-nu-latn' });
  expect(await pageFor(['de'], '<script>')).toMatchObject({ language: 'de' });
});

it('has the six plural forms of Arabic, with Latin digits and isolated names', async () => {
  await pageFor(['ar-EG']);
  const { texts } = await import('./texts.ts');
  const forms = [0, 1, 2, 5, 11, 100, 1234].map((passages) =>
    texts.documents.passages({ passages }),
  );
  expect(forms).toEqual([
    'لا مقاطع',
    'مقطع واحد',
    'مقطعان',
    '5 مقاطع',
    '11 مقطعًا',
    '100 مقطع',
    '1,234 مقطعًا',
  ]);
  expect(texts.documents.passagesOf({ names: '/a' })).toBe('مقاطع من \u2068/a\u2069');
});

it('formats numbers, sizes, times and dates of the region', async () => {
  await pageFor(['de-DE']);
  const { formatBytes } = await import('../ui/bytes.ts');
  const { formatDuration } = await import('../ui/duration.ts');
  const { formatDate } = await import('../ui/dates.ts');
  const { formatNumber } = await import('../ui/numbers.ts');
  expect(formatBytes(3_131_840)).toBe('3,13 MB');
  expect(formatDuration(1.84)).toBe('1,8 Sek.');
  expect(formatDate('2026-03-04T12:00:00Z')).toBe('04.03.2026');
  expect(formatNumber(1234.5)).toBe('1.234,5');
});
