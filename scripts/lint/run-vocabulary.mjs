import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { areaOf } from './check-vocabulary.mjs';
import { listFiles } from './import-graph.mjs';

const root = join(import.meta.dirname, '../..');
const folders = ['src', 'test', 'bench', 'scripts', 'examples', 'docs', '.github'];
const rootPages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
];
/** Generated pages, and files that list the words. */
const excluded = new Set([
  'docs/errors.md',
  'docs/settings.md',
  'docs/contributing/glossary.md',
  'scripts/lint/vocabulary.mjs',
  'scripts/lint/check-vocabulary.test.mjs',
]);

/** All Markdown files outside of `models/`. */
export async function listPages() {
  const pages = await Promise.all(folders.map((folder) => listFiles(root, folder, /\.md$/)));
  return [...rootPages, ...pages.flat()];
}

/**
 * Checks every file; prints the problems of areas that are not pending, and pending areas that are clean.
 * `--all` prints the problems of pending areas too, `--count` their number per area.
 */
export async function runVocabulary(check, pending) {
  const sources = await Promise.all(
    folders.map((folder) => listFiles(root, folder, /\.(ts|mts|mjs)$/)),
  );
  const files = [...sources.flat(), ...(await listPages())].filter((file) => !excluded.has(file));
  const problems = (
    await Promise.all(
      files.map(async (file) => check(file, await readFile(join(root, file), 'utf8'))),
    )
  ).flat();
  const byArea = new Map();
  for (const problem of problems) {
    const area = areaOf(problem.file);
    byArea.set(area, [...(byArea.get(area) ?? []), problem]);
  }
  for (const [area, found] of byArea) {
    const isPending = pending.includes(area);
    if (process.argv.includes('--count')) console.log(`${area}: ${found.length}`);
    else if (!isPending || process.argv.includes('--all')) {
      for (const { file, line, message } of found) console.error(`${file}:${line}: ${message}`);
    }
    if (!isPending) process.exitCode = 1;
  }
  for (const area of pending.filter((name) => !byArea.has(name))) {
    console.error(`${area} is clean. Remove it from pendingAreas in scripts/lint/vocabulary.mjs.`);
    process.exitCode = 1;
  }
}
