// Finds names that name-rules.mjs forbids.
import { parseSync, Visitor } from 'oxc-parser';

/** Problems `{file, line, message}` with the identifiers of a source file and the parts of its path. */
export function checkNames(file, text, rules) {
  const names = file.split('/').map((part) => ({ name: nameOfPart(part), start: 0 }));
  if (isSource(file)) names.push(...identifiers(file, text));
  return names.flatMap(({ name, start }) =>
    broken(rules, name).map(({ use }) => ({
      file,
      line: lineAt(text, start),
      message: `the name "${name}"; use ${use}`,
    })),
  );
}

/** `fair-queue.test.ts` → `fairQueue`. */
function nameOfPart(part) {
  return part.replace(/\..*$/, '').replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
}

function isSource(file) {
  return /\.(m?ts|mjs)$/.test(file);
}

function broken(rules, name) {
  return rules.filter(({ pattern, allow }) => pattern.test(name) && allow?.test(name) !== true);
}

function identifiers(file, text) {
  // Keyed by position, since `import { name }` contains the same identifier twice.
  const found = new Map();
  const add = (identifier) => found.set(identifier.start, identifier);
  new Visitor({ Identifier: add, PrivateIdentifier: add }).visit(parse(file, text).program);
  return [...found.values()];
}

function parse(file, text) {
  const result = parseSync(file, text);
  if (result.errors.length > 0) throw new Error(`${file}: ${result.errors[0].message}`);
  return result;
}

function lineAt(text, index) {
  return text.slice(0, index).split('\n').length;
}
