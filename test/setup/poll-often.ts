import { vi } from 'vitest';

const { waitFor } = vi;

/**
 * Polls more often: unit tests wait for events in this process, which take microseconds, and the default of 50 ms would
 * be most of their time.
 */
vi.waitFor = (callback, options = {}) =>
  waitFor(callback, {
    interval: 5,
    ...(typeof options === 'number' ? { timeout: options } : options),
  });
