import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useStore } from '../../../api/store.ts';
import { leaveTemporary, watchTemporary } from './leave-temporary.ts';
import { temporaryChats } from './temporary-chats.ts';

/** Deletes temporary conversations when the user leaves them. Used once, in the layout of all pages. */
export function useTemporaryChats(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const run = useRouterState({
    select: ({ resolvedLocation }) => resolvedLocation?.search.run ?? '',
  });
  const chats = useStore(temporaryChats);
  useEffect(watchTemporary, []);
  useEffect(() => {
    if (path !== undefined) leaveTemporary({ path, run });
  }, [path, run, chats]);
}
