// Compares imports with the table of modules.
import { modules, packageOwners } from './modules.mjs';

const defaultTable = { modules, packageOwners };
/** Maximum number of imports between modules; see docs/adr/0026-modules.md. */
const maxImports = 55;

/** Errors in the table itself: modules that import a missing module or one below them, and too many imports. */
export function checkTable({ modules: table } = defaultTable) {
  const problems = [];
  const above = new Set();
  for (const { name, imports } of table) {
    for (const imported of imports) {
      if (!above.has(imported)) {
        problems.push(
          `modules.mjs: ${name} may not import ${imported}, which does not stand above it.`,
        );
      }
    }
    above.add(name);
  }
  const count = table.reduce((sum, { imports }) => sum + imports.length, 0);
  if (count > maxImports) {
    problems.push(`modules.mjs: ${count} imports between modules; the maximum is ${maxImports}.`);
  }
  return problems;
}

/**
 * Imports that the table does not allow, files outside of all modules, and allowed imports that are unused. `imports`
 * is the result of `readImports`.
 */
export function checkImports(files, imports, table = defaultTable) {
  const byName = new Map(table.modules.map((module) => [module.name, module]));
  const unknown = [...new Set(files.map(moduleOf))]
    .filter((module) => !byName.has(module))
    .map((module) => `src/${module} is not a module. Add it to scripts/lint/modules.mjs.`);
  const refused = imports.flatMap(({ from, to, line }) => {
    const reason = refusal(moduleOf(from), to, byName, table);
    return reason === undefined ? [] : [`${from}:${line}: src/${moduleOf(from)} ${reason}`];
  });
  return [...unknown, ...refused];
}

/** Imports that the table allows but no file uses. */
export function findUnused(imports, { modules: table } = defaultTable) {
  const used = new Set(imports.map(({ from, to }) => `${moduleOf(from)} ${moduleOf(to)}`));
  return table.flatMap(({ name, imports: allowed }) =>
    allowed
      .filter((imported) => !used.has(`${name} ${imported}`))
      .map((imported) => `modules.mjs: ${name} does not import ${imported}. Remove it.`),
  );
}

/** Files of `src/` with circular imports; one problem per circle. */
export function findCircles(imports) {
  const targets = new Map();
  for (const { from, to } of imports) {
    if (to.startsWith('src/')) targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const problems = [];
  const done = new Set();
  const path = [];
  const visit = (file) => {
    const start = path.indexOf(file);
    if (start !== -1) problems.push(`${[...path.slice(start), file].join(' → ')} is a circle.`);
    if (start !== -1 || done.has(file)) return;
    path.push(file);
    for (const target of targets.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of targets.keys()) visit(file);
  return problems;
}

function refusal(module, to, byName, { packageOwners: owners }) {
  if (!to.startsWith('src/')) {
    const isOpen = !Object.hasOwn(owners, to) || owners[to].includes(module);
    return isOpen ? undefined : `may not import ${to}; see scripts/lint/modules.mjs.`;
  }
  const imported = moduleOf(to);
  if (imported === module) return undefined;
  if (!byName.get(module)?.imports.includes(imported)) {
    return `may not import ${to}; see ARCHITECTURE.md.`;
  }
  const path = to.split('/').slice(2).join('/');
  const isPublic = byName.get(imported).publicFiles.some((pattern) => matches(path, pattern));
  return isPublic ? undefined : `may not import ${to}, which is not public in src/${imported}.`;
}

function matches(path, pattern) {
  if (pattern.endsWith('/')) return path.startsWith(pattern);
  const source = pattern.replaceAll(/[.+?^$()|[\]\\{}]/g, String.raw`\$&`).replaceAll('*', '[^/]*');
  return new RegExp(`^${source}$`).test(path);
}

/** `src/chat/turn.ts` → `chat`; `src/index.ts` → `index.ts`. */
function moduleOf(path) {
  return path.split('/')[1];
}
