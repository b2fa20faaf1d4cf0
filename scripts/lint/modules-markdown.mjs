import { modules as table } from './modules.mjs';

/** The table of modules for `ARCHITECTURE.md`. */
export function modulesMarkdown(modules = table) {
  const rows = modules.map(({ name, purpose, imports }, index) => {
    const folder = name.endsWith('.ts') ? `\`src/${name}\`` : `[\`src/${name}/\`](src/${name}/)`;
    const above = modules.slice(0, index).map((module) => module.name);
    return `| ${folder} | ${purpose} | ${describeImports(imports, above)} |`;
  });
  return ['| Module | Purpose | May import |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Lists the public files and imports of a module, for its README. */
export function moduleMarkdown(name) {
  const { publicFiles, imports } = table.find((module) => module.name === name);
  const files = publicFiles.map((path) => `\`${path}\``).join(', ');
  return `- **Public:** ${files || 'nothing'}\n- **May import:** ${imports.join(', ') || 'no other module'}`;
}

/** The shorter of two descriptions: the imports, or the modules above that are not imported. */
function describeImports(imports, above) {
  if (imports.length === 0) return '–';
  const missing = above.filter((module) => !imports.includes(module));
  if (missing.length === 0) return 'all above';
  const exceptions = `all above except ${missing.join(', ')}`;
  const list = imports.join(', ');
  return exceptions.length < list.length ? exceptions : list;
}
