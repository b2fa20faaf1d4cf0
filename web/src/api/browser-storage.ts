type Area = 'localStorage' | 'sessionStorage';

/** Reads a value from the browser's storage; null if there is none or the user blocks the storage. */
export function readKept(name: string, area: Area = 'localStorage'): string | null {
  try {
    return globalThis[area].getItem(name);
  } catch {
    return null;
  }
}

/** Stores a value, or removes it if it is null. Ignores a full or blocked storage, since the page works without it. */
export function keep(name: string, value: string | null, area: Area = 'localStorage'): void {
  try {
    const storage = globalThis[area];
    if (value === null) storage.removeItem(name);
    else storage.setItem(name, value);
  } catch {
    // Nothing is lost until the page is reloaded.
  }
}
