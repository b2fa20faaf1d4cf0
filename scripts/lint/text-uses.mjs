import { parseSync } from 'oxc-parser';

/** The exported objects of `web/src/texts/`, with their catalogs. */
const catalogues = {
  texts: 'app',
  modelsTexts: 'models',
  developerTexts: 'developer',
  devicesTexts: 'devices',
  compareTexts: 'compare',
  voiceTexts: 'voice',
  projectsTexts: 'projects',
};

/**
 * Calls `onUse(path, node, parent)` for each expression of a source file that reads a text, such as `app.chat.send`.
 * Computed keys become `*`.
 */
export function findTextUses(file, source, onUse) {
  const { program } = parseSync(file, source);
  visit(program, Object.create(null), undefined, onUse);
}

function visit(node, scope, parent, onUse) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const each of node) visit(each, scope, parent, onUse);
    return;
  }
  if (typeof node.type !== 'string' || node.type.startsWith('TS')) {
    if (node.expression === undefined) return;
  }
  if (node.type === 'ImportSpecifier') {
    const catalogue = catalogues[node.imported.name];
    if (catalogue !== undefined) scope[node.local.name] = catalogue;
    return;
  }
  if (node.type === 'VariableDeclarator') {
    const path = node.init === null ? undefined : pathOf(node.init, scope);
    if (path !== undefined && declare(node.id, path, scope)) return;
  }
  const path = pathOf(node, scope);
  if (path !== undefined) {
    onUse(path, node, parent);
    visitComputedKeys(node, scope, onUse);
    return;
  }
  const inner = opensScope.has(node.type) ? Object.create(scope) : scope;
  for (const [key, child] of Object.entries(node)) {
    const isName = !node.computed && (key === 'property' || (key === 'key' && !node.shorthand));
    if (!isName) visit(child, inner, node, onUse);
  }
}

const opensScope = new Set([
  'BlockStatement',
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** Records variables that hold a part of the texts: `const labels = texts.chat`, `const { chat } = texts`. */
function declare(target, path, scope) {
  if (target.type === 'Identifier') {
    scope[target.name] = path;
    return true;
  }
  if (target.type !== 'ObjectPattern') return false;
  for (const property of target.properties) {
    if (property.type !== 'Property' || property.computed) return false;
    if (!declare(property.value, `${path}.${property.key.name}`, scope)) return false;
  }
  return true;
}

function pathOf(node, scope) {
  if (node.type === 'Identifier') return scope[node.name];
  if (node.type !== 'MemberExpression') return undefined;
  const base = pathOf(node.object, scope);
  if (base === undefined) return undefined;
  if (!node.computed) return `${base}.${node.property.name}`;
  return `${base}.${node.property.type === 'Literal' ? node.property.value : '*'}`;
}

function visitComputedKeys(node, scope, onUse) {
  if (node.type !== 'MemberExpression') return;
  if (node.computed) visit(node.property, scope, node, onUse);
  visitComputedKeys(node.object, scope, onUse);
}
