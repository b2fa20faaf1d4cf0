import lighthouse, { desktopConfig } from 'lighthouse';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useHearth } from '../../setup/server/use-hearth.ts';

const hearth = useHearth();
const port = 9333;
let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  });
});
afterAll(() => browser.close());

const runs = Number(process.env['LIGHTHOUSE_RUNS'] ?? 5);
const categories = ['performance', 'accessibility'] as const;

it.each(['/chat', '/models', '/compare', '/voice', '/developer/overview'])(
  'scores of %s',
  async (path) => {
    const scores: Record<string, number[]> = {};
    for (let run = 0; run < runs; run += 1) {
      const flags = { port, onlyCategories: [...categories], logLevel: 'error' as const };
      const result = await lighthouse(`${hearth.url}${path}`, flags, desktopConfig);
      for (const name of categories) {
        const score = result?.lhr.categories[name]?.score ?? 0;
        (scores[name] ??= []).push(Math.round(score * 100));
      }
    }
    const medians = Object.fromEntries(
      Object.entries(scores).map(([name, all]) => [name, median(all)]),
    );
    console.log(path, scores, medians);
    expect(Math.min(...Object.values(medians))).toBeGreaterThanOrEqual(95);
  },
  600_000,
);

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
