import { IntlMessageFormat } from 'intl-messageformat';
import { parseSync } from 'oxc-parser';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLanguages, readMessages, valuesOf } from './catalogues.mjs';
import { findTextUses } from './text-uses.mjs';

const source = join(import.meta.dirname, '../../web/src');
const files = (await readdir(source, { recursive: true }))
  .filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !file.startsWith('texts/load-texts'))
  .map((file) => ({ file, path: join(source, file) }));
const sources = await Promise.all(
  files.map(async ({ file, path }) => ({ file, text: await readFile(path, 'utf8') })),
);
const english = await readMessages('en');
const others = (await readLanguages()).filter((language) => language !== 'en');

/** Literal texts that need no translation. */
const untranslated = new Set(['mcp/files', '/data/models', '/v1', 'https://example.org/mcp']);

/** Attributes whose text is shown or read aloud. */
const shownAttributes = new Set([
  'aria-label',
  'aria-description',
  'aria-valuetext',
  'alt',
  'title',
  'placeholder',
  'label',
  'hint',
  'description',
  'note',
]);

describe.each(others)('the texts in %s', (language) => {
  it('have the keys and the values of the English ones', async () => {
    const messages = await readMessages(language);
    expect(new Set(messages.keys())).toEqual(new Set(english.keys()));
    for (const [path, message] of messages) {
      expect(valuesOf(message), path).toEqual(valuesOf(english.get(path)));
      expect(message === '', path).toBe(english.get(path) === '');
    }
  });

  it('have all plural forms of the language', async () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    // In Romance languages, "many" is only for whole millions.
    const needed = pluralCategories.filter((form) => language === 'ar' || form !== 'many');
    const incomplete = [...(await readMessages(language))].filter(([, message]) =>
      pluralForms(message).some((forms) => !needed.every((form) => forms.includes(form))),
    );
    expect(incomplete).toEqual([]);
  });
});

it('finds what reads the catalogues', () => {
  const uses = [];
  findTextUses(
    'a.tsx',
    `import { texts } from './texts.ts'; const { chat } = texts; const labels = chat.list;
     function f(name) { const labels = texts.app; return [labels.save, chat.states[name]]; } labels.pin({ x });`,
    (path) => uses.push(path),
  );
  expect(uses).toEqual(['app.app.save', 'app.chat.states.*', 'app.chat.list.pin']);
});

it('has no text that no component reads', () => {
  const used = [];
  for (const { file, text } of sources) findTextUses(file, text, (path) => used.push(path));
  const patterns = [...new Set(used)].map((path) => path.split('.'));
  const isUsed = (path) => {
    const keys = path.split('.');
    return patterns.some(
      (pattern) =>
        pattern.length <= keys.length &&
        pattern.every((key, index) => key === '*' || key === keys[index]),
    );
  };
  expect([...english.keys()].filter((path) => !isUsed(path))).toEqual([]);
});

it('finds texts in components', () => {
  expect(literalsOf('a.tsx', `const a = <p title="Two words">Text {' more'}</p>;`)).toEqual([
    'more',
    'Two words',
    'Text',
  ]);
  expect(literalsOf('a.tsx', '<p className="flex" title={x.y}>{`${x}`} · </p>;')).toEqual([]);
});

it('has all texts of components in the catalogues', () => {
  const found = sources.flatMap(({ file, text }) =>
    literalsOf(file, text)
      .filter((literal) => !untranslated.has(literal))
      .map((literal) => `${file}: ${literal}`),
  );
  expect(found).toEqual([]);
});

it('has no classes for left and right, which languages swap', () => {
  const physical =
    /(?<![\w-])-?(?:m[lr]|p[lr]|border-[lr]|rounded-(?:[lr]|[tb][lr])|text-(?:left|right)|(?:left|right)-\d)(?=[-\s'"`]|$)/;
  const found = sources
    // Tables of models name the side of a column.
    .filter(({ file }) => file.endsWith('.tsx') && !file.endsWith('render-tokens.tsx'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/['"`][^'"`\n]*['"`]/g)]
        .map(([literal]) => literal)
        .filter((literal) => physical.test(literal) && !literal.includes('left-1/2'))
        .map((literal) => `${file}: ${literal}`),
    );
  expect(found).toEqual([]);
});

/** Texts in a file's elements and attributes that users see. */
function literalsOf(file, text) {
  const found = [];
  const add = (literal) => {
    if (typeof literal === 'string' && /\p{L}/u.test(literal)) found.push(literal.trim());
  };
  const addExpression = (node) => {
    if (node?.type === 'Literal') add(node.value);
    if (node?.type === 'TemplateLiteral') node.quasis.forEach(({ value }) => add(value.cooked));
    if (node?.type === 'ConditionalExpression') {
      addExpression(node.consequent);
      addExpression(node.alternate);
    }
    if (node?.type === 'LogicalExpression') addExpression(node.right);
    if (node?.type === 'JSXExpressionContainer') addExpression(node.expression);
  };
  walk(parseSync(file, text).program, (node) => {
    if (node.type === 'JSXText') add(node.value);
    if (node.type === 'JSXAttribute' && shownAttributes.has(node.name.name)) {
      addExpression(node.value);
    }
    if (node.type === 'JSXElement') {
      node.children.filter(({ type }) => type === 'JSXExpressionContainer').forEach(addExpression);
    }
  });
  return found;
}

function walk(node, onNode) {
  if (node === null || typeof node !== 'object') return;
  onNode(node);
  for (const child of Object.values(node)) walk(child, onNode);
}

/** The forms of each plural in a message, such as `one` and `other`, without forms for exact numbers, such as `=0`. */
function pluralForms(message) {
  const found = [];
  if (!message.includes('{')) return found;
  const { ast } = new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true });
  walk(ast, (element) => {
    // 6 is the type of plurals: https://formatjs.github.io/docs/icu-messageformat-parser
    if (element.type !== 6) return;
    const forms = Object.keys(element.options);
    if (!forms.some((form) => form.startsWith('='))) found.push(forms);
  });
  return found;
}
