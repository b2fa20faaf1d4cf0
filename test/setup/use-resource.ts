import { afterAll, beforeAll } from 'vitest';

/**
 * Opens a resource before the tests of a file or a `describe`, and closes it after them. Resources close in reverse
 * order.
 *
 * @returns A proxy of the resource, for tests and later hooks.
 */
export function useResource<T extends { close(): Promise<unknown> }>(open: () => Promise<T>): T {
  let resource: T | undefined;
  const opened = (): T => {
    if (resource === undefined) throw new Error('The resource opens before the first test.');
    return resource;
  };
  beforeAll(async () => {
    resource = await open();
  });
  afterAll(() => resource?.close());
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(opened(), key) as unknown,
    set: (_, key, value) => Reflect.set(opened(), key, value),
  });
}
