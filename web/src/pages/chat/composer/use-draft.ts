import { useEffect } from 'react';
import { keep, readKept } from '../../../api/browser-storage.ts';
import { createStore, useStore } from '../../../api/store.ts';

/** Longer drafts are not stored, since they would leave too little storage for settings and running answers. */
const maxKept = 500_000;

const nameOf = (key: string) => `hearth.draft.${key}`;

/** Drafts that were shown or changed, by conversation. */
const drafts = createStore<Readonly<Record<string, string>>>({});

const draftOf = (key: string) => drafts.get()[key] ?? readKept(nameOf(key)) ?? '';

function setDraft(key: string, text: string): void {
  drafts.set((all) => ({ ...all, [key]: text }));
  keep(nameOf(key), text === '' || text.length > maxKept ? null : text);
}

/** Puts a refused message back into the field, unless the user is already writing another one. */
export function restoreDraft(key: string, text: string): void {
  if (draftOf(key) === '') setDraft(key, text);
}

/** Removes a restored message when it is sent again in another way. */
export function dropDraft(key: string, text: string): void {
  if (draftOf(key) === text) setDraft(key, '');
}

/** The unsent text of a conversation, which survives a reload. */
export function useDraft(key: string): readonly [string, (text: string) => void] {
  const text = useStore(drafts)[key];
  useEffect(() => {
    if (drafts.get()[key] === undefined) drafts.set((all) => ({ ...all, [key]: draftOf(key) }));
  }, [key]);
  return [text ?? draftOf(key), (next) => setDraft(key, next)];
}
