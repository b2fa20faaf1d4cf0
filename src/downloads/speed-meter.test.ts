import { expect, it } from 'vitest';
import { SpeedMeter } from './speed-meter.ts';

it('says nothing before it has seen enough', () => {
  const meter = new SpeedMeter();
  expect(meter.bytesPerSecond(0, 0)).toBeUndefined();
  meter.add(1000, 0);
  expect(meter.bytesPerSecond(2000, 100)).toBeUndefined();
});

it('counts what came since it began, not what was there before', () => {
  const meter = new SpeedMeter();
  meter.add(1_000_000, 0);
  meter.add(1_002_000, 1000);
  expect(meter.bytesPerSecond(1_002_000, 1000)).toBe(2000);
});

it('follows the last five seconds and falls to nothing in silence', () => {
  const meter = new SpeedMeter();
  for (let second = 0; second <= 10; second += 1) meter.add(second * 100, second * 1000);
  for (let second = 11; second <= 20; second += 1) {
    meter.add(1000 + (second - 10) * 900, second * 1000);
  }
  expect(meter.bytesPerSecond(10_000, 20_000)).toBe(900);
  expect(meter.bytesPerSecond(10_000, 60_000)).toBe(0);
});

it('is never below zero, also when bytes are fetched again', () => {
  const meter = new SpeedMeter();
  meter.add(5000, 0);
  expect(meter.bytesPerSecond(4000, 1000)).toBe(0);
});
