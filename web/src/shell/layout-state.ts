import { createStore } from '../api/store.ts';

/** The parts of the shell that open and close. */
export const isDrawerOpen = createStore(false);
export const isPaletteOpen = createStore(false);
export const isSignInOpen = createStore(false);
