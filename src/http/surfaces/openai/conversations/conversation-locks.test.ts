import { expect, it } from 'vitest';
import { ConversationLocks } from './conversation-locks.ts';

it('locks a conversation until the work has ended, even if it fails', async () => {
  const locks = new ConversationLocks();
  const unlock = locks.lock('conv_a');
  expect(() => locks.lock('conv_a')).toThrow(
    expect.objectContaining({ code: 'conversation_locked', status: 409, param: 'conversation' }),
  );
  locks.lock('conv_b');
  unlock();
  const unlockNext = locks.lock('conv_a');
  unlock();
  expect(() => locks.lock('conv_a')).toThrow('conv_a');
  unlockNext();
  await expect(
    locks.with('conv_a', async () => {
      expect(() => locks.lock('conv_a')).toThrow('conv_a');
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  expect(await locks.with('conv_a', async () => 'done')).toBe('done');
});
