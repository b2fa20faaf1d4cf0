import { vi } from 'vitest';

const { waitFor } = vi;

/** Unit tests wait for events of this process, which take microseconds: 50 ms, the default, is most of their time. */
vi.waitFor = (callback, options = {}) =>
  waitFor(callback, {
    interval: 5,
    ...(typeof options === 'number' ? { timeout: options } : options),
  });
