// Fails if an import violates the table of modules (scripts/lint/modules.mjs), or files import each other.
import { join } from 'node:path';
import { checkImports, checkTable, findCircles, findUnused } from './lint/check-modules.mjs';
import { listFiles, readImports } from './lint/import-graph.mjs';

const root = join(import.meta.dirname, '..');
// Tests and their helpers are not restricted.
const files = (await listFiles(root, 'src', /\.ts$/)).filter(
  (file) => !/\.test\.ts$|\/testing\//.test(file),
);
const imports = await readImports(root, files);
const problems = [
  ...checkTable(),
  ...checkImports(files, imports),
  ...findUnused(imports),
  ...findCircles(imports),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
