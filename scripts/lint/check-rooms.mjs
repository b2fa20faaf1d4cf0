// Compares imports with the table of rooms.
import { packageOwners, pendingImports, rooms, sharedFiles } from './rooms.mjs';

const defaultTable = { rooms, sharedFiles, packageOwners, pendingImports };

/** Mistakes in the table itself: rooms that import a room below them, or one that does not exist. */
export function checkTable({ rooms: table } = defaultTable) {
  const problems = [];
  const above = new Set();
  for (const { name, imports } of table) {
    for (const imported of imports) {
      if (!above.has(imported)) {
        problems.push(
          `rooms.mjs: ${name} may not import ${imported}, which does not stand above it.`,
        );
      }
    }
    above.add(name);
  }
  return problems;
}

/** Imports that the table does not allow, and files outside every room. `imports` is that of `readImports`. */
export function checkImports(files, imports, table = defaultTable) {
  const byName = new Map(table.rooms.map((room) => [room.name, room]));
  const unknown = [...new Set(files.map(roomOf))]
    .filter((room) => !byName.has(room) && !table.sharedFiles.includes(room))
    .map((room) => `src/${room} is not a room. Add it to scripts/lint/rooms.mjs.`);
  const isPending = ({ from, to }, pending) => pending.room === roomOf(from) && pending.to === to;
  const { pendingImports: pendings } = table;
  const stale = pendings
    .filter((pending) => !imports.some((item) => isPending(item, pending)))
    .map(({ room, to }) => `src/${room} no longer imports ${to}. Remove it from pendingImports.`);
  const forbidden = imports
    .filter((item) => !isAllowed(roomOf(item.from), item.to, byName, table))
    .filter((item) => !pendings.some((pending) => isPending(item, pending)))
    .map(
      ({ from, to, line }) =>
        `${from}:${line}: src/${roomOf(from)} may not import ${to}; see ARCHITECTURE.md.`,
    );
  return [...unknown, ...forbidden, ...stale];
}

function isAllowed(room, to, byName, { sharedFiles: shared, packageOwners: owners }) {
  if (!to.startsWith('src/')) {
    return !Object.hasOwn(owners, to) || owners[to].includes(room);
  }
  const imported = roomOf(to);
  if (imported === room || shared.includes(imported)) return true;
  return byName.get(room)?.imports.includes(imported) ?? false;
}

/** `src/chat/turn.ts` → `chat`; `src/serve.ts` → `serve.ts`. */
function roomOf(path) {
  return path.split('/')[1];
}
