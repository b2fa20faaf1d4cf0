import type { Instance, Visit } from './instance.ts';
import type { Lease } from './lease.ts';

/** The lease of a visit that has got its slot. */
export function openLease(instance: Instance, visit: Visit): Lease {
  const { process, slots } = instance;
  if (process === undefined) throw new Error(`${instance.id} is ready but has no process`);
  let hasSlot = true;
  let isReleased = false;
  const pause = (): void => {
    if (!hasSlot) return;
    hasSlot = false;
    slots.release();
  };
  return {
    instanceId: instance.id,
    selection: instance.selection,
    engine: process.engine,
    signal: visit.signal,
    pause,
    resume: async (caller) => {
      await slots.reenter(caller, visit.signal);
      hasSlot = true;
      // It may have been released between its turn in line and now.
      if (isReleased) pause();
    },
    release: () => {
      isReleased = true;
      pause();
      visit.leave();
    },
  };
}
