import { keep, readKept } from './browser-storage.ts';
import { createStore } from './store.ts';

const storageKey = 'hearth.token';

export interface Access {
  readonly token: string | undefined;
  /** Whether the server refused the last request without a valid token. */
  readonly isTokenNeeded: boolean;
  /** Why the token was refused. */
  readonly refusal: string | undefined;
  /** True if the token of this tab has ended, and the app continues without one. */
  readonly hasEnded: boolean;
}

const signedOut: Access = {
  token: undefined,
  isTokenNeeded: false,
  refusal: undefined,
  hasEnded: false,
};
const store = createStore<Access>({ ...signedOut, token: readToken() });

/** The token of this tab, and whether the server asks for one. */
export const access = {
  get: store.get,
  subscribe: store.subscribe,
  /** Keeps a token in this tab, or in the browser. */
  signIn(token: string, { isRemembered }: { readonly isRemembered: boolean }): void {
    forgetToken();
    keep(storageKey, token, isRemembered ? 'localStorage' : 'sessionStorage');
    store.set({ ...signedOut, token });
  },
  signOut(): void {
    forgetToken();
    store.set(signedOut);
  },
  /** Continues without the token, which the server no longer takes and does not need. */
  end(): void {
    forgetToken();
    store.set({ ...signedOut, hasEnded: true });
  },
  /** Hides the notice that the token has ended. */
  acknowledgeEnd(): void {
    store.set((now) => ({ ...now, hasEnded: false }));
  },
  /** Called for each answer with status 401. */
  refuse(message: string): void {
    const { token } = store.get();
    const refusal = token === undefined ? undefined : message;
    store.set({ token, isTokenNeeded: true, refusal, hasEnded: false });
  },
};

function readToken(): string | undefined {
  return readKept(storageKey, 'sessionStorage') ?? readKept(storageKey) ?? undefined;
}

function forgetToken(): void {
  keep(storageKey, null, 'sessionStorage');
  keep(storageKey, null);
}
