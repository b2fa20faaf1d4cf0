import { expect, it } from 'vitest';
import { ConversationLocks } from './conversation-locks.ts';
import { LeaseKeeper } from '../../../store/shared/lease-keeper.ts';
import { temporaryStore } from '../../../../test/setup/store/temporary-store.ts';

it('locks a conversation until the work has ended, even if it fails', async () => {
  const { leases } = await temporaryStore();
  const keeper = new LeaseKeeper({ leases, holder: 'a', onError: () => {} });
  const locks = new ConversationLocks(keeper);
  const unlock = await locks.lock('conv_a');
  await expect(locks.lock('conv_a')).rejects.toMatchObject({
    code: 'conversation_locked',
    status: 409,
    param: 'conversation',
  });
  await locks.lock('conv_b');
  await unlock();
  const unlockNext = await locks.lock('conv_a');
  await unlock();
  await expect(locks.lock('conv_a')).rejects.toThrow('conv_a');
  await unlockNext();
  await expect(
    locks.with('conv_a', async () => {
      await expect(locks.lock('conv_a')).rejects.toThrow('conv_a');
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  expect(await locks.with('conv_a', async () => 'done')).toBe('done');
  await keeper.close();
});
