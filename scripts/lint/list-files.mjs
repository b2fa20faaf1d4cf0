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
/** Generated pages, and files that contain the forbidden phrases. */
const excluded = new Set([
  'docs/errors.md',
  'docs/settings.md',
  'docs/contributing/glossary.md',
  'docs/contributing/requirements.md',
  'scripts/lint/name-rules.mjs',
  'scripts/lint/check-names.test.mjs',
  'scripts/lint/prose-style.mjs',
  'scripts/lint/check-prose.test.mjs',
]);

/** All Markdown files outside of `models/`. */
export async function listPages() {
  const pages = await Promise.all(folders.map((folder) => listFiles(root, folder, /\.md$/)));
  return [...rootPages, ...pages.flat()];
}

/** All source files and pages: `{file, text}`. */
export async function readFiles() {
  const sources = await Promise.all(
    folders.map((folder) => listFiles(root, folder, /\.(ts|tsx|mts|mjs)$/)),
  );
  const files = [...sources.flat(), ...(await listPages())].filter((file) => !excluded.has(file));
  return Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })),
  );
}

/** Prints the problems of a lint; if there are any, sets the exit code to failure. */
export function printProblems(problems) {
  for (const { file, line, message } of problems) {
    console.error(`${file}:${line}: ${message}`);
    process.exitCode = 1;
  }
}
