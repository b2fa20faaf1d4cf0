import { describe, expect, it } from 'vitest';
import { orderReplicas } from './replica-set.ts';

const urls = ['http://a/v1', 'http://b/v1', 'http://c/v1', 'http://d/v1'];
const idle = urls.map((url) => ({ url, active: 0 }));
const first = (replicas: typeof idle, key: string): string =>
  orderReplicas(replicas, key)[0]?.url ?? '';

describe('the order of replicas', () => {
  it('is the same for the same key, whatever their order', () => {
    for (let number = 0; number < 50; number += 1) {
      const key = `conversation ${number}`;
      expect(first(idle.toReversed(), key)).toBe(first(idle, key));
    }
  });

  it('spreads unrelated keys within 10 percent', () => {
    const counts = new Map<string, number>();
    const keys = 8000;
    for (let number = 0; number < keys; number += 1) {
      const url = first(idle, `prompt ${number}`);
      counts.set(url, (counts.get(url) ?? 0) + 1);
    }
    for (const url of urls) {
      expect(counts.get(url)).toBeGreaterThan((keys / 4) * 0.9);
      expect(counts.get(url)).toBeLessThan((keys / 4) * 1.1);
    }
  });

  it('moves only the keys of a replica that leaves', () => {
    const left = idle.filter(({ url }) => url !== 'http://b/v1');
    const keys = Array.from({ length: 200 }, (_, number) => `key ${number}`);
    const others = keys.filter((key) => first(idle, key) !== 'http://b/v1');
    expect(others.map((key) => first(left, key))).toEqual(others.map((key) => first(idle, key)));
  });

  it('puts replicas with more than their share last', () => {
    const preferred = first(idle, 'a key');
    const busy = idle.map(({ url }) => ({ url, active: url === preferred ? 8 : 2 }));
    const order = orderReplicas(busy, 'a key').map(({ url }) => url);
    expect(order.at(-1)).toBe(preferred);
    const fair = idle.map(({ url }) => ({ url, active: 3 }));
    expect(first(fair, 'a key')).toBe(preferred);
  });
});
