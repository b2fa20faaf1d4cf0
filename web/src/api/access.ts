import { basePath } from './base-path.ts';
import { keep, readKept } from './browser-storage.ts';
import { createStore } from './store.ts';

/** The base path is part of the key, since pages of other paths on this host may belong to another server. */
const storageKey = `hearth.token${basePath}`;

export interface Access {
  /** An API token, or a session token, which is only valid together with a cookie. */
  readonly token: string | undefined;
  /** True if the server refused the last request because it had no valid token. */
  readonly isTokenNeeded: boolean;
  /** The reason why the token was refused. */
  readonly refusal: string | undefined;
  /** True if this browser's token has become invalid, and the app continues without one. */
  readonly hasEnded: boolean;
}

const signedOut: Access = {
  token: undefined,
  isTokenNeeded: false,
  refusal: undefined,
  hasEnded: false,
};
const store = createStore<Access>({ ...signedOut, token: readKept(storageKey) ?? undefined });

/** The token of this browser, and whether the server requires one. */
export const access = {
  get: store.get,
  subscribe: store.subscribe,
  signIn(token: string): void {
    keep(storageKey, token);
    store.set({ ...signedOut, token });
  },
  signOut(): void {
    keep(storageKey, null);
    store.set(signedOut);
  },
  /** Continues without the token, which has become invalid and is not required. Other tabs find out themselves. */
  end(): void {
    store.set({ ...signedOut, hasEnded: true });
  },
  /** Hides the notice that the token has become invalid. */
  acknowledgeEnd(): void {
    if (store.get().token === undefined) keep(storageKey, null);
    store.set((now) => ({ ...now, hasEnded: false }));
  },
  /** Handles a response with status 401. */
  refuse(message: string): void {
    const { token } = store.get();
    const refusal = token === undefined ? undefined : message;
    store.set({ token, isTokenNeeded: true, refusal, hasEnded: false });
  },
  /** Signs in or out when another tab of the browser does. */
  followOtherTabs(): void {
    addEventListener('storage', ({ key }) => {
      if (key !== storageKey && key !== null) return;
      const token = readKept(storageKey) ?? undefined;
      if (token !== store.get().token) store.set({ ...signedOut, token });
    });
  },
};
