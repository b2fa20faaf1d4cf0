import { parseSync } from 'oxc-parser';

const functions = new Set(['it', 'test', 'describe']);
/** Modifiers of tests that do not run or need not pass. */
const idle = new Set(['skip', 'todo', 'fails', 'skipIf', 'runIf']);
const coversPattern = /^\s*covers ([a-z0-9, -]+)$/;

/**
 * Finds the tests of a source file that name requirements in a comment directly before them, such as `// covers
 * v1-chat-7, v1-chat-8`.
 *
 * @returns `{ tests, faults }`: tests as `{ title, ids }`, and messages about comments that are not before a test.
 */
export function coveringTests(path, source) {
  const { program, comments } = parseSync(path, source);
  const tests = [];
  const faults = [];
  const statements = testStatements(program);
  for (const comment of comments) {
    const ids = coversPattern.exec(comment.value)?.[1].split(', ');
    if (ids === undefined) {
      if (/^\s*covers\b.*\d/i.test(comment.value))
        faults.push(`${path}: "${comment.value.trim()}"`);
      continue;
    }
    const next = statements.find(({ start }) => start > comment.end);
    const isAttached =
      next !== undefined &&
      /^(?:\s*\/\/ covers .*)*\s*$/.test(source.slice(comment.end, next.start));
    if (!isAttached) faults.push(`${path}: "covers ${ids.join(', ')}" stands before no test`);
    else if (next.isIdle)
      faults.push(`${path}: "${next.title}" covers ${ids.join(', ')}, but may not run`);
    else tests.push({ title: next.title, ids });
  }
  return { tests, faults };
}

/** Calls of `it`, `test` and `describe` in the order of the source, as `{ start, title, isIdle }`. */
export function testStatements(program) {
  const found = [];
  visit(program, (node) => {
    if (node.type !== 'ExpressionStatement') return;
    const test = toTest(node.expression);
    if (test !== undefined) found.push({ start: node.start, ...test });
  });
  return found.toSorted((one, other) => one.start - other.start);
}

/** Parses a call such as `it('title', ...)`, `it.each(rows)('title', ...)` or `it.skip('title', ...)`. */
function toTest(call) {
  if (call.type !== 'CallExpression') return undefined;
  const title = titleOf(call.arguments[0]);
  const names = namesOf(call.callee);
  if (title === undefined || !functions.has(names[0])) return undefined;
  return { title, isIdle: names.some((name) => idle.has(name)) };
}

function titleOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral')
    return node.quasis.map(({ value }) => value.cooked).join('…');
  return undefined;
}

/** The names in a callee: `it` and `each` for `it.each(rows)`. */
function namesOf(callee) {
  switch (callee.type) {
    case 'Identifier':
      return [callee.name];
    case 'MemberExpression':
      return [...namesOf(callee.object), callee.property.name];
    case 'CallExpression':
      return namesOf(callee.callee);
    case 'TaggedTemplateExpression':
      return namesOf(callee.tag);
    default:
      return [''];
  }
}

function visit(node, onNode) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, onNode);
  } else if (typeof node === 'object' && node !== null) {
    if (typeof node.type === 'string') onNode(node);
    for (const value of Object.values(node)) visit(value, onNode);
  }
}
