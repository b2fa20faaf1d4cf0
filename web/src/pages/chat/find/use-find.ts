import { useCallback, useState } from 'react';
import type { FindRequest } from './find-bar.tsx';

/**
 * The state of the search in a conversation. It is initialized from the URL, which has the text until the user closes
 * the search or changes the text.
 */
export function useFind(
  conversationId: string | undefined,
  { find: text, message: responseId }: { readonly find?: string; readonly message?: string },
): readonly [FindRequest | undefined, open: () => void, close: () => void] {
  const place = `${conversationId} ${responseId} ${text}`;
  const [state, setState] = useState<{ readonly place: string; readonly opened: number }>();
  const number = state?.place === place ? state.opened : text === undefined ? 0 : 1;
  const open = useCallback(
    () =>
      setState((now) => ({ place, opened: now?.place === place ? Math.abs(now.opened) + 1 : 2 })),
    [place],
  );
  const close = useCallback(() => setState({ place, opened: 0 }), [place]);
  return [number === 0 ? undefined : { text: text ?? '', responseId, number }, open, close];
}
