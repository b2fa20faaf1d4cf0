import { keep, readKept } from '../../../api/browser-storage.ts';
import { createStore } from '../../../api/store.ts';
import type { Run } from '../runs/run.ts';

/** A conversation that no list shows, and that is deleted when it is left. */
interface Temporary {
  readonly id: string;
}

const storageKey = 'hearth.temporary';
const leftKey = 'hearth.temporary.left';
/** Chats of killed tabs stay until others take their place. */
const maxKept = 50;

/** Chats of all tabs of this browser. */
export const temporaryChats = createStore<readonly Temporary[]>(read());
addEventListener('storage', ({ key }) => {
  if (key === storageKey) temporaryChats.set(read());
});

/**
 * Temporary chats that this tab began, by id, with the first answer. At first their address names
 * that answer.
 */
export const ownChats = new Map<string, Pick<Run, 'key' | 'responseId'>>();

/** Notes that a stored conversation is temporary, before any list can show it. */
export function addTemporary(id: string, { key, responseId }: Run): void {
  ownChats.set(id, { key, responseId });
  write([...read(), { id }].slice(-maxKept));
}

export function forgetTemporary(id: string): void {
  ownChats.delete(id);
  write(read().filter((each) => each.id !== id));
}

/** Notes that a conversation is deleted because its page is closed or loaded again. */
export function noteLeft(id: string): void {
  keep(leftKey, id, 'sessionStorage');
}

/** True if this tab deleted the conversation when its page was loaded again. */
export function wasLeft(id: string): boolean {
  return readKept(leftKey, 'sessionStorage') === id;
}

function read(): readonly Temporary[] {
  try {
    return JSON.parse(readKept(storageKey) ?? '[]') as readonly Temporary[];
  } catch {
    return [];
  }
}

function write(all: readonly Temporary[]): void {
  keep(storageKey, JSON.stringify(all));
  temporaryChats.set(all);
}
