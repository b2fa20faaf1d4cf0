// Reads the imports of TypeScript files: static and dynamic imports, re-exports, and types.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** Paths of the files in `folder` and below whose name matches, relative to `root`, with forward slashes. */
export async function listFiles(root, folder, pattern) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return (
    entries
      .filter((entry) => entry.isFile() && pattern.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      // test/clients and test/mutation install their own packages.
      .filter((path) => !/\/(?:node_modules|\.venv|\.generated)\//.test(path))
      .toSorted()
  );
}

/** All imports of the files: `{from, to, line}`; `to` is a path relative to `root`, or the name of a package. */
export async function readImports(root, files) {
  const imports = await Promise.all(
    files.map(async (file) => importsOf(file, await readFile(join(root, file), 'utf8'))),
  );
  return imports.flat();
}

/** The imports of one file, in order. */
export function importsOf(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const imports = [];
  const add = ({ source }) => {
    if (source?.type !== 'Literal') return;
    imports.push({
      from: file,
      to: target(file, source.value),
      line: text.slice(0, source.start).split('\n').length,
    });
  };
  new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
    TSImportType: add,
  }).visit(program);
  return imports;
}

function target(file, specifier) {
  if (specifier.startsWith('.')) return posix.join(dirname(file), specifier);
  if (specifier.startsWith('node:')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
