import { expect, it } from 'vitest';
import { SpeedMeter } from './speed-meter.ts';

it('returns nothing before it has enough samples', () => {
  const meter = new SpeedMeter();
  expect(meter.bytesPerSecond(0, 0)).toBeUndefined();
  meter.add(1000, 0);
  expect(meter.bytesPerSecond(2000, 100)).toBeUndefined();
});

it('counts bytes since the start, not those of an earlier run', () => {
  const meter = new SpeedMeter();
  meter.add(1_000_000, 0);
  meter.add(1_002_000, 1000);
  expect(meter.bytesPerSecond(1_002_000, 1000)).toBe(2000);
});

it('follows the last five seconds and falls to 0 without data', () => {
  const meter = new SpeedMeter();
  for (let second = 0; second <= 10; second += 1) meter.add(second * 100, second * 1000);
  for (let second = 11; second <= 20; second += 1) {
    meter.add(1000 + (second - 10) * 900, second * 1000);
  }
  expect(meter.bytesPerSecond(10_000, 20_000)).toBe(900);
  expect(meter.bytesPerSecond(10_000, 60_000)).toBe(0);
});

it('is never below zero, even if bytes are fetched again', () => {
  const meter = new SpeedMeter();
  meter.add(5000, 0);
  expect(meter.bytesPerSecond(4000, 1000)).toBe(0);
});

it('returns a speed after half a second', () => {
  const meter = new SpeedMeter();
  meter.add(0, 1000);
  expect(meter.bytesPerSecond(100, 1499)).toBeUndefined();
  expect(meter.bytesPerSecond(100, 1500)).toBe(200);
});

it('drops samples within a tenth of a second of the last', () => {
  const meter = new SpeedMeter();
  meter.add(0, 0);
  meter.add(500, 99);
  // If the second sample had been kept, the window would begin there.
  expect(meter.bytesPerSecond(1000, 5099)).toBeCloseTo(1000 / 5.099);
  meter.add(1000, 5100);
  expect(meter.bytesPerSecond(1000, 10_100)).toBe(0);
});

it('measures from the last sample before the window on', () => {
  const meter = new SpeedMeter();
  meter.add(0, 0);
  meter.add(1000, 1000);
  meter.add(9000, 3000);
  expect(meter.bytesPerSecond(10_000, 5999)).toBeCloseTo(10_000 / 5.999);
  expect(meter.bytesPerSecond(10_000, 6000)).toBe(1800);
  expect(meter.bytesPerSecond(10_000, 8000)).toBe(200);
});
