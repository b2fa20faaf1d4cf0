// Looks for the words of vocabulary.mjs in names and in prose.
import { parseSync, Visitor } from 'oxc-parser';

/** Problems `{file, line, message}` of the identifiers of a source file and of the parts of its path. */
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

/** Problems of the prose of a file: comments and strings of source files, text of Markdown. */
export function checkProse(file, text, rules) {
  const pieces = isSource(file) ? sourceProse(file, text) : markdownProse(text);
  return pieces.flatMap(({ prose, start }) =>
    rules.flatMap(({ pattern, allow, use }) =>
      [...prose.matchAll(new RegExp(pattern.source, 'gi'))]
        .filter(({ index, 0: match }) => {
          const around = prose.slice(Math.max(0, index - 12), index + match.length + 12);
          return allow === undefined || !new RegExp(allow.source, 'i').test(around);
        })
        .map(({ index, 0: match }) => ({
          file,
          line: lineAt(text, start),
          message: `"${prose.slice(Math.max(0, index - 25), index + match.length + 15).trim()}": for "${match}" use ${use}`,
        })),
    ),
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
  // By position, as `import { name }` holds the same identifier twice.
  const found = new Map();
  const add = (identifier) => found.set(identifier.start, identifier);
  new Visitor({ Identifier: add, PrivateIdentifier: add }).visit(parse(file, text).program);
  return [...found.values()];
}

function sourceProse(file, text) {
  const { program, comments } = parse(file, text);
  const pieces = comments.map(({ value, start }) => ({
    prose: value.replace(/\n\s*\*/g, ' '),
    start,
  }));
  new Visitor({
    Literal({ value, start }) {
      if (typeof value === 'string') pieces.push({ prose: value, start });
    },
    TemplateElement({ value, start }) {
      pieces.push({ prose: value.cooked ?? value.raw, start });
    },
  }).visit(program);
  // A single word is a name, not prose.
  return pieces
    .map(({ prose, start }) => ({ prose: prose.replace(/\s+/g, ' '), start }))
    .filter(({ prose }) => prose.trim().includes(' '));
}

/** Paragraphs without code blocks, inline code and addresses. */
function markdownProse(text) {
  const blank = (match) => match.replace(/[^\n]/g, ' ');
  const prose = text
    .replace(/^(```+)[^\n]*\n.*?^\1/gms, blank)
    .replace(/<!--.*?-->/gs, blank)
    .replace(/\]\([^)]*\)/g, blank)
    .replace(/`[^`\n]+`/g, (match) => 'x'.repeat(match.length));
  return [...prose.matchAll(/[^\n]+(?:\n[^\n]+)*/g)].map(({ 0: block, index }) => ({
    prose: block.replace(/\s+/g, ' '),
    start: index,
  }));
}

function parse(file, text) {
  const result = parseSync(file, text);
  if (result.errors.length > 0) throw new Error(`${file}: ${result.errors[0].message}`);
  return result;
}

function lineAt(text, index) {
  return text.slice(0, index).split('\n').length;
}
