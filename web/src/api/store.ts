import { useSyncExternalStore } from 'react';

export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (next: Value | ((previous: Value) => Value)) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** A value outside of React that components follow with `useStore`. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      const changed =
        typeof next === 'function' ? (next as (previous: Value) => Value)(value) : next;
      if (Object.is(changed, value)) return;
      value = changed;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value>(store: Pick<Store<Value>, 'get' | 'subscribe'>): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}
