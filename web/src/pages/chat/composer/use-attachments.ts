import { createStore, useStore } from '../../../api/store.ts';
import type { Attachment } from './attachments.ts';

/** What is attached to the next message, by conversation. */
const store = createStore<Readonly<Record<string, readonly Attachment[]>>>({});
const none: readonly Attachment[] = [];

type Change = (attachments: readonly Attachment[]) => readonly Attachment[];

export function useAttachments(
  key: string,
): readonly [readonly Attachment[], (change: Change) => void] {
  const attachments = useStore(store)[key] ?? none;
  return [
    attachments,
    (change) => store.set((all) => ({ ...all, [key]: change(all[key] ?? none) })),
  ];
}

/** Moves what is attached to another conversation, such as a new one that was stored. */
export function moveAttachments(from: string, to: string): void {
  store.set(({ [from]: moved = none, ...others }) => ({ ...others, [to]: moved }));
}
