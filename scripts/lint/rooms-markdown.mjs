import { rooms as table } from './rooms.mjs';

/** The table of rooms for `ARCHITECTURE.md`. */
export function roomsMarkdown(rooms = table) {
  const rows = rooms.map(({ name, purpose, imports }, index) => {
    const folder = name.endsWith('.ts') ? `src/${name}` : `src/${name}/`;
    const above = rooms.slice(0, index).filter((room) => room.name !== 'serve.ts');
    const allowed =
      imports.length > 0 && above.every((room) => imports.includes(room.name))
        ? 'all above'
        : imports.map((room) => room.replace(/\.ts$/, '')).join(', ') || '–';
    return `| \`${folder}\` | ${purpose} | ${allowed} |`;
  });
  return ['| Folder | Purpose | May import |', '| --- | --- | --- |', ...rows].join('\n');
}
