import { keep, readKept } from '../api/browser-storage.ts';
import { createStore } from '../api/store.ts';

/** The parts of the shell that open and close. */
export const isDrawerOpen = createStore(false);
export const isPaletteOpen = createStore(false);
export const isSignInOpen = createStore(false);

const sidebarKey = 'hearth.sidebar';

/** True if the user has hidden the sidebar of wide screens, which the browser keeps. */
export const isSidebarHidden = createStore(readKept(sidebarKey) === 'hidden');

export function toggleSidebar(): void {
  isSidebarHidden.set((isHidden) => !isHidden);
  keep(sidebarKey, isSidebarHidden.get() ? 'hidden' : null);
  // The button that was pressed is gone; the one that takes it back has its place.
  const hadFocus = document.activeElement?.hasAttribute('data-sidebar-toggle') ?? false;
  if (!hadFocus) return;
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('[data-sidebar-toggle]')?.focus(),
  );
}
