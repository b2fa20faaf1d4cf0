import { keep, readKept } from '../../../api/browser-storage.ts';
import { createStore } from '../../../api/store.ts';
import type { Run } from '../runs/run.ts';

/** A conversation that lists do not show, and that is deleted when the user leaves it. */
interface Temporary {
  readonly id: string;
}

const storageKey = 'hearth.temporary';
const leftKey = 'hearth.temporary.left';
/** Entries of killed tabs stay until newer ones replace them. */
const maxKept = 50;

/** Temporary chats of all tabs in this browser. */
export const temporaryChats = createStore<readonly Temporary[]>(read());
addEventListener('storage', ({ key }) => {
  if (key === storageKey) temporaryChats.set(read());
});

/** Temporary chats of this tab by id, each with the run of its first answer. At first, their URLs contain this run. */
export const ownChats = new Map<string, Pick<Run, 'key' | 'responseId'>>();

/** Records that a stored conversation is temporary, before any list can show it. */
export function addTemporary(id: string, { key, responseId }: Run): void {
  ownChats.set(id, { key, responseId });
  write([...read(), { id }].slice(-maxKept));
}

export function forgetTemporary(id: string): void {
  ownChats.delete(id);
  write(read().filter((each) => each.id !== id));
}

/** Records that a conversation is deleted because its page is closed or reloaded. */
export function noteLeft(id: string): void {
  keep(leftKey, id, 'sessionStorage');
}

/** True if the conversation was deleted because its page was reloaded in this tab. */
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
