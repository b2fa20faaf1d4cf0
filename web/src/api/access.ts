import { basePath } from './base-path.ts';
import { keep, readKept } from './browser-storage.ts';
import { createStore } from './store.ts';

/** Pages of another path of this host may belong to another server. */
const storageKey = `hearth.token${basePath}`;

export interface Access {
  /** A session token, which the server takes together with a cookie, or an API token. */
  readonly token: string | undefined;
  /** True if the server refused the last request without a valid token. */
  readonly isTokenNeeded: boolean;
  /** Why the token was refused. */
  readonly refusal: string | undefined;
  /** True if the token of this browser has ended, and the app continues without one. */
  readonly hasEnded: boolean;
}

const signedOut: Access = {
  token: undefined,
  isTokenNeeded: false,
  refusal: undefined,
  hasEnded: false,
};
const store = createStore<Access>({ ...signedOut, token: readKept(storageKey) ?? undefined });

/** The token of this browser, and whether the server asks for one. */
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
  /** Continues without the token, which the server no longer takes and does not need. Other tabs notice it themselves. */
  end(): void {
    store.set({ ...signedOut, hasEnded: true });
  },
  /** Hides the notice that the token has ended. */
  acknowledgeEnd(): void {
    if (store.get().token === undefined) keep(storageKey, null);
    store.set((now) => ({ ...now, hasEnded: false }));
  },
  /** Called for each answer with status 401. */
  refuse(message: string): void {
    const { token } = store.get();
    const refusal = token === undefined ? undefined : message;
    store.set({ token, isTokenNeeded: true, refusal, hasEnded: false });
  },
  /** Signs in and out with the other tabs of the browser. */
  followOtherTabs(): void {
    addEventListener('storage', ({ key }) => {
      if (key !== storageKey && key !== null) return;
      const token = readKept(storageKey) ?? undefined;
      if (token !== store.get().token) store.set({ ...signedOut, token });
    });
  },
};
