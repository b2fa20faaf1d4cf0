import { rooms as table } from './rooms.mjs';

/** The table of rooms for `ARCHITECTURE.md`. */
export function roomsMarkdown(rooms = table) {
  const rows = rooms.map(({ name, purpose, imports }, index) => {
    const folder = name.endsWith('.ts') ? `src/${name}` : `src/${name}/`;
    const above = rooms.slice(0, index).filter((room) => room.name !== 'serve.ts');
    const allowed = describeImports(
      imports,
      above.map((room) => room.name),
    );
    return `| \`${folder}\` | ${purpose} | ${allowed} |`;
  });
  return ['| Folder | Purpose | May import |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The shorter one of a list of the imports and of a list of the rooms above that are not imported. */
function describeImports(imports, above) {
  if (imports.length === 0) return '–';
  const list = (names) => names.map((room) => room.replace(/\.ts$/, '')).join(', ');
  const missing = above.filter((room) => !imports.includes(room));
  if (missing.length === 0) return 'all above';
  const exceptions = `all above except ${list(missing)}`;
  const isWithin = imports.every((room) => above.includes(room));
  return isWithin && exceptions.length < list(imports).length ? exceptions : list(imports);
}
