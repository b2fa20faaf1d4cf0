import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { chromiumPath, useBrowser } from '../setup/browser.ts';
import { expectFigures } from '../setup/expect-figures.ts';

const hearth = useHearth();
const { version } = useBrowser();
const program = join(import.meta.dirname, 'node_modules/lighthouse/cli/index.js');
const runs = Number(process.env['LIGHTHOUSE_RUNS'] ?? 5);
const categories = ['performance', 'accessibility'] as const;

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number }>>;
}

async function scoresOf(url: string): Promise<Report['categories']> {
  const flags = ['--preset=desktop', `--only-categories=${categories.join(',')}`, '--output=json'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, url, ...flags, '--quiet', '--chrome-flags=--headless=new --no-sandbox'],
    { env: { ...process.env, CHROME_PATH: chromiumPath }, maxBuffer: 64 * 1024 * 1024 },
  );
  return (JSON.parse(stdout) as Report).categories;
}

it.each(['/chat', '/models', '/compare', '/voice', '/developer/overview'])(
  'scores of %s',
  async (path) => {
    const scores: Report['categories'][] = [];
    for (let run = 0; run < runs; run += 1) scores.push(await scoresOf(`${hearth.url}${path}`));
    expect(scores).toHaveLength(runs);
    await expectFigures(
      version(),
      categories.map((name) => ({
        name: `Lighthouse, ${name} of ${path}`,
        unit: 'points',
        values: scores.map((each) => Math.round((each[name]?.score ?? 0) * 100)),
        atLeast: 95,
      })),
    );
  },
);
