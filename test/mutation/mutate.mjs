// Mutation tests of one module: `npm run mutate -- src/platform/net`. See docs/contributing/mutation-testing.md.
import { Stryker } from '@stryker-mutator/core';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const isForced = process.argv.includes('--force');
const [module = '', ...more] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--force')
  .map((path) => path.replace(/\/+$/, ''));
const root = join(import.meta.dirname, '../..');
if (!module.startsWith('src/') || !existsSync(join(root, module))) {
  throw new Error(
    'Usage: npm run mutate -- <module> [file ...] [--force], for example src/platform/net',
  );
}
const name = module.slice('src/'.length).replaceAll('/', '-');
const isWholeRoom = more.length === 0;
const reports = '.cache/mutation';
// Code that is only run by end-to-end tests and tests with PostgreSQL.
const leftOut = [
  'src/store/{postgres,tables}/**',
  'src/store/statement-thread-main.ts',
  'src/api/kit/body/json-thread-main.ts',
  'src/chat/documents/read/document-thread-main.ts',
];
// Read by the processes of the test runner: see vitest.mutation.config.ts.
process.env.HEARTH_MUTATION_MODULE = module;

const results = await new Stryker({
  mutate: isWholeRoom
    ? [`${module}/**/*.ts`, '!**/*.test.ts', ...leftOut.map((path) => `!${path}`)]
    : more,
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  concurrency: Number(process.env.HEARTH_MUTATION_CONCURRENCY ?? 2),
  incremental: isWholeRoom,
  force: isForced,
  incrementalFile: `${reports}/${name}.incremental.json`,
  tempDirName: '.cache/stryker',
  cleanTempDir: 'always',
  ignorePatterns: ['.cache', 'dist', 'coverage', 'docs', 'bench'],
  // Tests end after 4 s, and most endless loops after a number of rounds, so only a busy machine needs longer.
  timeoutMS: 15_000,
  timeoutFactor: 3,
  reporters: [
    'clear-text',
    'html',
    'json',
    process.stdout.isTTY ? 'progress' : 'progress-append-only',
  ],
  clearTextReporter: { allowColor: process.stdout.isTTY, reportTests: false },
  htmlReporter: { fileName: `${reports}/${name}.html` },
  jsonReporter: { fileName: `${reports}/${name}.json` },
  thresholds: { high: 95, low: 85, break: isWholeRoom ? 85 : null },
  allowConsoleColors: process.stdout.isTTY,
  disableTypeChecks: true,
  // This file does not exist: Stryker would rewrite it with an API that TypeScript 7 lacks, and these tests need none.
  tsconfigFile: 'tsconfig.mutation.json',
}).runMutationTest();
console.log(`${results.length} mutants; the report is ${reports}/${name}.html`);
