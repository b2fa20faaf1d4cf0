import { useEffect } from 'react';
import { keep, readKept } from '../../../api/browser-storage.ts';
import { createStore, useStore } from '../../../api/store.ts';

/** A longer draft is not kept: it would leave no storage for settings and running answers. */
const maxKept = 500_000;

const nameOf = (key: string) => `hearth.draft.${key}`;

/** Drafts that the page has shown or changed, by conversation. */
const drafts = createStore<Readonly<Record<string, string>>>({});

const draftOf = (key: string) => drafts.get()[key] ?? readKept(nameOf(key)) ?? '';

function setDraft(key: string, text: string): void {
  drafts.set((all) => ({ ...all, [key]: text }));
  keep(nameOf(key), text === '' || text.length > maxKept ? null : text);
}

/** Puts a message that the server refused back into the field, unless the next one is being written. */
export function restoreDraft(key: string, text: string): void {
  if (draftOf(key) === '') setDraft(key, text);
}

/** Removes a restored message that is sent again in another way. */
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
