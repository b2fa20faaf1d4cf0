import { useState } from 'react';

/** The unsent text of a conversation, which survives a reload. */
export function useDraft(key: string): readonly [string, (text: string) => void] {
  const storageKey = `hearth.draft.${key}`;
  const [shown, setShown] = useState(() => ({ key, text: localStorage.getItem(storageKey) ?? '' }));
  if (shown.key !== key) setShown({ key, text: localStorage.getItem(storageKey) ?? '' });
  const setText = (text: string) => {
    setShown({ key, text });
    if (text === '') localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, text);
  };
  return [shown.text, setText];
}
