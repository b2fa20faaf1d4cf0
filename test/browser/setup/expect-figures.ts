import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isReached, type WebAppFigure, type WebAppFigures } from '../../../bench/web-app-page.ts';
import { version } from '../../../src/kernel/version.ts';
import { projectFolder } from '../../setup/project-folder.ts';

const file = join(projectFolder, 'docs/performance/web-app.json');

/**
 * Writes figures into `docs/performance/web-app.json`, replacing earlier ones with the same names. Fails if a figure
 * misses its target.
 */
export async function expectFigures(
  browser: string,
  figures: readonly WebAppFigure[],
): Promise<void> {
  for (const { name, unit, values } of figures)
    console.log(`${name}: ${values.join(', ')} ${unit}`);
  const earlier = JSON.parse(await readFile(file, 'utf8')) as WebAppFigures;
  const others = earlier.figures.filter(({ name }) => figures.every((each) => each.name !== name));
  const surroundings = {
    date: new Date().toISOString().slice(0, 7),
    hearth: version,
    cpu: (cpus()[0]?.model ?? 'unknown').trim(),
    cores: cpus().length,
    platform: `${process.platform}-${process.arch}`,
    browser: `Chromium ${browser}`,
  };
  const all = [...others, ...figures];
  await writeFile(file, `${JSON.stringify({ surroundings, figures: all }, null, 2)}\n`);
  const missed = figures.filter((figure) => isReached(figure) === false);
  expect(missed.map(({ name }) => name)).toEqual([]);
}
