import { describe, expect, it } from 'vitest';
import { checkImports, checkTable, findCircles, findUnused } from './check-modules.mjs';
import { importsOf } from './import-graph.mjs';

const table = {
  modules: [
    { name: 'kernel', publicFiles: ['*.ts', 'errors/'], imports: [] },
    { name: 'store', publicFiles: ['store.ts', '*/*-schema.ts'], imports: ['kernel'] },
    { name: 'api', publicFiles: [], imports: ['kernel', 'store'] },
  ],
  packageOwners: { hono: ['api'] },
};
const check = (file, text) => checkImports([file], importsOf(file, text), table);

describe('checkTable', () => {
  it('accepts the table of Hearth', () => {
    expect(checkTable()).toEqual([]);
  });

  it('rejects imports of modules below, and of modules that do not exist', () => {
    const modules = [
      { name: 'a', imports: ['b', 'c'] },
      { name: 'b', imports: ['a'] },
    ];
    expect(checkTable({ modules })).toEqual([
      'modules.mjs: a may not import b, which does not stand above it.',
      'modules.mjs: a may not import c, which does not stand above it.',
    ]);
  });

  it('rejects a table with too many imports', () => {
    const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
    const modules = names.map((name, index) => ({ name, imports: names.slice(0, index) }));
    expect(checkTable({ modules })).toEqual([
      'modules.mjs: 66 imports between modules; the maximum is 55.',
    ]);
    expect(checkTable({ modules: modules.slice(0, 11) })).toEqual([]);
  });
});

describe('checkImports', () => {
  it.each([
    ['src/store/a.ts', "import '../kernel/errors/errors.ts';"],
    ['src/store/a.ts', "import './b.ts'; import './sub/c.ts'; import 'node:fs';"],
    ['src/api/a.ts', "import '../store/store.ts';"],
    ['src/api/a.ts', "import '../store/turns/turn-schema.ts';"],
    ['src/api/a.ts', "import { Hono } from 'hono/tiny';"],
  ])('allows %s: %s', (file, text) => {
    expect(check(file, text)).toEqual([]);
  });

  it.each([
    ['src/store/a.ts', "import '../api/app.ts';", 'src/store/a.ts:1: src/store may not import'],
    ['src/store/a.ts', "\nimport type { A } from '../api/app.ts';", 'src/store/a.ts:2: '],
    ['src/store/a.ts', "export * from '../api/app.ts';", 'src/store may not import src/api/app.ts'],
    ['src/store/a.ts', "export { a } from '../api/app.ts';", 'may not import'],
    ['src/store/a.ts', "await import('../api/app.ts');", 'may not import'],
    ['src/store/a.ts', "type A = import('../api/app.ts').A;", 'may not import'],
    ['src/store/a.ts', "import { Hono } from 'hono';", 'src/store may not import hono'],
    ['src/api/a.ts', "import '../store/turns/turn.ts';", 'which is not public in src/store'],
    ['src/api/a.ts', "import '../store/sub/store.ts';", 'which is not public in src/store'],
    ['src/metrics/a.ts', '', 'src/metrics is not a module'],
    ['src/other.ts', '', 'src/other.ts is not a module'],
  ])('rejects %s: %s', (file, text, problem) => {
    const problems = check(file, text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});

describe('findUnused', () => {
  it('names the imports that are allowed and not needed', () => {
    const imports = importsOf('src/api/a.ts', "import '../store/store.ts';");
    expect(findUnused(imports, table)).toEqual([
      'modules.mjs: store does not import kernel. Remove it.',
      'modules.mjs: api does not import kernel. Remove it.',
    ]);
  });
});

describe('findCircles', () => {
  it('names files that import each other', () => {
    const imports = [
      ...importsOf('src/a/a.ts', "import './b.ts'; import './c.ts';"),
      ...importsOf('src/a/b.ts', "import './c.ts';"),
    ];
    expect(findCircles(imports)).toEqual([]);
    expect(findCircles([...imports, ...importsOf('src/a/c.ts', "import './a.ts';")])).toEqual([
      'src/a/a.ts → src/a/b.ts → src/a/c.ts → src/a/a.ts is a circle.',
    ]);
  });
});
