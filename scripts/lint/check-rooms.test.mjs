import { describe, expect, it } from 'vitest';
import { checkImports, checkTable } from './check-rooms.mjs';
import { importsOf } from './import-graph.mjs';

const table = {
  rooms: [
    { name: 'contract', imports: [] },
    { name: 'store', imports: ['contract'] },
    { name: 'http', imports: ['contract', 'store'] },
  ],
  sharedFiles: ['version.ts'],
  packageOwners: { hono: ['http'] },
  pendingImports: [],
};
const check = (file, text) => checkImports([file], importsOf(file, text), table);

describe('checkTable', () => {
  it('accepts the table of Hearth', () => {
    expect(checkTable()).toEqual([]);
  });

  it('rejects imports of rooms below, and of rooms that do not exist', () => {
    const rooms = [
      { name: 'a', imports: ['b', 'c'] },
      { name: 'b', imports: ['a'] },
    ];
    expect(checkTable({ rooms })).toEqual([
      'rooms.mjs: a may not import b, which does not stand above it.',
      'rooms.mjs: a may not import c, which does not stand above it.',
    ]);
  });
});

describe('checkImports', () => {
  it.each([
    ['src/store/a.ts', "import '../contract/errors.ts';"],
    ['src/store/a.ts', "import './b.ts'; import './sub/c.ts'; import 'node:fs';"],
    ['src/store/a.ts', "import '../version.ts';"],
    ['src/http/a.ts', "import { Hono } from 'hono/tiny';"],
  ])('allows %s: %s', (file, text) => {
    expect(check(file, text)).toEqual([]);
  });

  it.each([
    ['src/store/a.ts', "import '../http/app.ts';", 'src/store/a.ts:1: src/store may not import'],
    ['src/store/a.ts', "\nimport type { A } from '../http/app.ts';", 'src/store/a.ts:2: '],
    [
      'src/store/a.ts',
      "export * from '../http/app.ts';",
      'src/store may not import src/http/app.ts',
    ],
    ['src/store/a.ts', "export { a } from '../http/app.ts';", 'may not import'],
    ['src/store/a.ts', "await import('../http/app.ts');", 'may not import'],
    ['src/store/a.ts', "type A = import('../http/app.ts').A;", 'may not import'],
    ['src/store/a.ts', "import { Hono } from 'hono';", 'src/store may not import hono'],
    ['src/version.ts', "import './store/a.ts';", 'may not import'],
    ['src/metrics/a.ts', '', 'src/metrics is not a room'],
    ['src/other.ts', '', 'src/other.ts is not a room'],
  ])('rejects %s: %s', (file, text, problem) => {
    const problems = check(file, text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('allows pending imports, and rejects entries that are no longer needed', () => {
    const pending = { ...table, pendingImports: [{ room: 'store', to: 'hono' }] };
    const imports = importsOf('src/store/a.ts', "import { Hono } from 'hono';");
    expect(checkImports(['src/store/a.ts'], imports, pending)).toEqual([]);
    expect(checkImports([], [], pending)).toEqual([
      'src/store no longer imports hono. Remove it from pendingImports.',
    ]);
  });
});
