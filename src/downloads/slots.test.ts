import { expect, it } from 'vitest';
import { deferred } from '../../test/setup/deferred.ts';
import { Slots } from './slots.ts';

const { signal } = new AbortController();

it('lets in as many as there are slots, and the others in turn', async () => {
  const slots = new Slots(2);
  const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
  const entered: number[] = [];
  const uses = gates.map((gate, index) =>
    slots.use(async () => {
      entered.push(index);
      await gate.promise;
    }, signal),
  );
  await Promise.resolve();
  expect(entered).toEqual([0, 1]);
  gates[1]?.resolve();
  await uses[1];
  expect(entered).toEqual([0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.all(uses);
});

it('frees a slot after a failure, and lets who waits go away', async () => {
  const slots = new Slots(1);
  await expect(slots.use(() => Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  const gate = deferred<void>();
  const running = slots.use(() => gate.promise, signal);
  const controller = new AbortController();
  const waiting = slots.use(async () => 'in', controller.signal);
  controller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  const next = slots.use(async () => 'in', signal);
  gate.resolve();
  await running;
  expect(await next).toBe('in');
});
