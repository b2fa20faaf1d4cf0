import { createStore, useStore } from '../../../api/store.ts';
import type { Attachment, AttachmentContent } from './attachments.ts';

/** Attachments of the next message, by conversation. */
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

/** Sets the content of an attached file, unless the file was removed meanwhile. */
export function setContent(id: string, content: AttachmentContent): void {
  store.set((all) =>
    Object.fromEntries(
      Object.entries(all).map(([key, attachments]) => [
        key,
        attachments.map((each) => (each.id === id ? { ...each, content } : each)),
      ]),
    ),
  );
}

/** Moves attachments to another conversation, such as a new one that was just stored. */
export function moveAttachments(from: string, to: string): void {
  store.set(({ [from]: moved = none, ...others }) => ({ ...others, [to]: moved }));
}
