import { expect, it } from 'vitest';
import { inSlices } from './in-slices.ts';

/** Blocks the thread for longer than a slice. */
function work(): void {
  const end = performance.now() + 10;
  while (performance.now() < end);
}

it('lets other tasks run between pieces of work', async () => {
  const order: string[] = [];
  const all = ['a', 'b', 'c'].map(
    (name) =>
      new Promise<void>((resolve) => {
        inSlices(async () => () => {
          work();
          order.push(name);
          setTimeout(() => order.push('task'));
          resolve();
        });
      }),
  );
  await Promise.all(all);
  expect(order.slice(0, 3)).toEqual(['a', 'task', 'b']);
});

it('leaves out work that is cancelled, and work that cannot be loaded', async () => {
  const done: string[] = [];
  inSlices(() => Promise.reject(new Error('The server does not run.')));
  const cancel = inSlices(async () => () => done.push('cancelled'));
  cancel();
  await new Promise<void>((resolve) => {
    inSlices(async () => () => {
      done.push('kept');
      resolve();
    });
  });
  expect(done).toEqual(['kept']);
});
