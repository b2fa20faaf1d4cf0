import { useState } from 'react';
import { keep, readKept } from '../../../api/browser-storage.ts';

/** A longer draft is not kept: it would leave no storage for settings and running answers. */
const maxKept = 500_000;

const nameOf = (key: string) => `hearth.draft.${key}`;

/** The unsent text of a conversation, which survives a reload. */
export function useDraft(key: string): readonly [string, (text: string) => void] {
  const [shown, setShown] = useState(() => ({ key, text: readKept(nameOf(key)) ?? '' }));
  if (shown.key !== key) setShown({ key, text: readKept(nameOf(key)) ?? '' });
  const setText = (text: string) => {
    setShown({ key, text });
    keep(nameOf(key), text === '' || text.length > maxKept ? null : text);
  };
  return [shown.text, setText];
}
