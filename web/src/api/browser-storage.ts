type Area = 'localStorage' | 'sessionStorage';

/** A value that the browser keeps; null if it has none, or if the user blocks its storage. */
export function readKept(name: string, area: Area = 'localStorage'): string | null {
  try {
    return globalThis[area].getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a value, or forgets it if it is null. A storage that is full or blocked keeps nothing; the page works without it. */
export function keep(name: string, value: string | null, area: Area = 'localStorage'): void {
  try {
    const storage = globalThis[area];
    if (value === null) storage.removeItem(name);
    else storage.setItem(name, value);
  } catch {
    // Only a reload shows the difference.
  }
}
