import { expect, it } from 'vitest';
import { linkAbort } from '../../kernel/concurrency/linked-abort.ts';
import { RunningCalls } from './running-calls.ts';

const name = { caller: { tokenId: 'a' }, sessionId: 'first', id: 1 };

it('cancels the call with the id, of the same session and token alone', () => {
  const calls = new RunningCalls();
  const call = linkAbort();
  calls.add(name, call);
  calls.cancel({ ...name, id: 2 });
  calls.cancel({ ...name, id: '1' });
  calls.cancel({ ...name, sessionId: 'second' });
  calls.cancel({ ...name, sessionId: undefined });
  calls.cancel({ ...name, caller: { tokenId: 'b' } });
  expect(call.signal.aborted).toBe(false);
  calls.cancel(name);
  expect(call.signal.reason).toMatchObject({ code: 'cancelled' });
});

it('forgets calls that have ended, and does not know those without a session', () => {
  const calls = new RunningCalls();
  const [first, second, unnamed] = [linkAbort(), linkAbort(), linkAbort()];
  calls.add(name, first);
  calls.add(name, second);
  calls.remove(name, first);
  calls.add({ ...name, sessionId: undefined }, unnamed);
  calls.cancel(name);
  calls.remove(name, second);
  calls.cancel({ ...name, sessionId: undefined });
  expect([first, second, unnamed].map(({ signal }) => signal.aborted)).toEqual([
    false,
    true,
    false,
  ]);
});
