import { expect, it } from 'vitest';
import { collect } from '../../../test/setup/collect.ts';
import { ChannelOverflowError, createChannel } from './channel.ts';

it('delivers values in order, pushed before and during the iteration', async () => {
  const channel = createChannel<number>();
  channel.push(1);
  channel.push(2);
  const reading = collect(channel);
  await Promise.resolve();
  channel.push(3);
  await Promise.resolve();
  channel.close();
  channel.push(4);
  expect(await reading).toEqual([1, 2, 3]);
});

it('ends immediately if it was closed while empty', async () => {
  const channel = createChannel<number>();
  channel.close();
  expect(await collect(channel)).toEqual([]);
});

it('delivers values that are pushed while a value is handled', async () => {
  const channel = createChannel<number>();
  const seen: number[] = [];
  channel.push(1);
  for await (const value of channel) {
    seen.push(value);
    if (value < 3) channel.push(value + 1);
    else channel.close();
  }
  expect(seen).toEqual([1, 2, 3]);
});

it('throws if the reader falls too far behind, after the buffered values', async () => {
  const channel = createChannel<number>(2);
  for (const value of [1, 2, 3, 4]) channel.push(value);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const value of channel) seen.push(value);
  })();
  await expect(reading).rejects.toBeInstanceOf(ChannelOverflowError);
  expect(seen).toEqual([1, 2]);
});
