import { expect, it } from 'vitest';
import { beforeEnd } from './before-end.ts';
import type { TurnEvent } from './turn-event.ts';

const delta: TurnEvent = { type: 'message.delta', text: 'Hi' };
const last = { type: 'turn.end', result: {} } as unknown as TurnEvent;

/** Runs the events through `beforeEnd`. Returns the events and the final work in the order in which they happened. */
async function read(
  events: AsyncIterable<TurnEvent>,
  isEnough: (event: TurnEvent) => boolean = () => false,
) {
  const order: string[] = [];
  const reading = async (): Promise<void> => {
    const onEnd = async (): Promise<void> => void order.push('end of the work');
    for await (const event of beforeEnd(events, onEnd)) {
      order.push(event.type);
      if (isEnough(event)) break;
    }
  };
  const failure: unknown = await reading().catch((error: unknown) => error);
  return { order, failure };
}

it('ends the work before the reader sees the last event', async () => {
  const { order } = await read(
    (async function* () {
      yield delta;
      yield last;
    })(),
  );
  expect(order.slice(0, 3)).toEqual(['message.delta', 'end of the work', 'turn.end']);
});

it('ends the work of a turn that fails', async () => {
  const reason = new Error('lost');
  const { order, failure } = await read(
    (async function* () {
      yield delta;
      throw reason;
    })(),
  );
  expect(order).toEqual(['message.delta', 'end of the work']);
  expect(failure).toBe(reason);
});

it('ends the work of a turn that is no longer read', async () => {
  const { order } = await read(
    (async function* () {
      yield delta;
      yield delta;
    })(),
    () => true,
  );
  expect(order).toEqual(['message.delta', 'end of the work']);
});
