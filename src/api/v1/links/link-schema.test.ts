import { describe, expect, it } from 'vitest';
import { createLink } from './link-schema.ts';

describe('the host of a link', () => {
  const isHost = (host: string): boolean =>
    createLink.body.safeParse({ host, code: 'M5WJ0-6SZ3B-8K1QT-0YV2D-4R7XN-9CHGE' }).success;

  it.each(['192.168.1.20', 'gpu-box.local', 'fd00::20', '::1', 'gpu_box'])('may be %s', (host) => {
    expect(isHost(host)).toBe(true);
  });

  it.each(['box:1235', 'nnc9PzRc4:TA', '1.2.3.999', '::1::', 'https://box'])(
    'may not be %s',
    (host) => {
      expect(isHost(host)).toBe(false);
    },
  );
});
