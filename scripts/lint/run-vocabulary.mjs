import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles } from './import-graph.mjs';

const root = join(import.meta.dirname, '../..');
const folders = [
  'src',
  'web/src',
  'web/build',
  'test',
  'bench',
  'scripts',
  'site',
  'examples',
  'docs',
  '.github',
];
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

/** Checks every file and prints the problems. */
export async function runVocabulary(check) {
  const sources = await Promise.all(
    folders.map((folder) => listFiles(root, folder, /\.(ts|tsx|mts|mjs)$/)),
  );
  const files = [...sources.flat(), ...(await listPages())].filter((file) => !excluded.has(file));
  const problems = await Promise.all(
    files.map(async (file) => check(file, await readFile(join(root, file), 'utf8'))),
  );
  for (const { file, line, message } of problems.flat()) {
    console.error(`${file}:${line}: ${message}`);
    process.exitCode = 1;
  }
}
