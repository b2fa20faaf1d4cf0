import { keep, readKept } from '../api/browser-storage.ts';
import { createStore } from '../api/store.ts';

/** State of the parts of the layout that can be opened and closed. */
export const isDrawerOpen = createStore(false);
export const isPaletteOpen = createStore(false);
export const isSignInOpen = createStore(false);

const sidebarKey = 'hearth.sidebar';

/** True if the user has hidden the sidebar on wide screens; stored in the browser. */
export const isSidebarHidden = createStore(readKept(sidebarKey) === 'hidden');

export function toggleSidebar(): void {
  isSidebarHidden.set((isHidden) => !isHidden);
  keep(sidebarKey, isSidebarHidden.get() ? 'hidden' : null);
  // The pressed button disappears, so the focus moves to the button that reverses the change.
  const hadFocus = document.activeElement?.hasAttribute('data-sidebar-toggle') ?? false;
  if (!hadFocus) return;
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('[data-sidebar-toggle]')?.focus(),
  );
}
