import { keep, readKept } from './browser-storage.ts';
import { createStore } from './store.ts';

const storageKey = 'hearth.token';

export interface Access {
  readonly token: string | undefined;
  /** Whether the server refused the last request without a valid token. */
  readonly isTokenNeeded: boolean;
  /** Why the token was refused. */
  readonly refusal: string | undefined;
}

const store = createStore<Access>({ token: readToken(), isTokenNeeded: false, refusal: undefined });

/** The token of this tab, and whether the server asks for one. */
export const access = {
  get: store.get,
  subscribe: store.subscribe,
  /** Keeps a token in this tab, or in the browser. */
  signIn(token: string, { isRemembered }: { readonly isRemembered: boolean }): void {
    forgetToken();
    keep(storageKey, token, isRemembered ? 'localStorage' : 'sessionStorage');
    store.set({ token, isTokenNeeded: false, refusal: undefined });
  },
  signOut(): void {
    forgetToken();
    store.set({ token: undefined, isTokenNeeded: false, refusal: undefined });
  },
  /** Called for each answer with status 401. */
  refuse(message: string): void {
    const { token } = store.get();
    store.set({ token, isTokenNeeded: true, refusal: token === undefined ? undefined : message });
  },
};

function readToken(): string | undefined {
  return readKept(storageKey, 'sessionStorage') ?? readKept(storageKey) ?? undefined;
}

function forgetToken(): void {
  keep(storageKey, null, 'sessionStorage');
  keep(storageKey, null);
}
