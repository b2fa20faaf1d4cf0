import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { letterPrompt } from '../../../test/setup/engines/letter-prompt.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { AdapterScale } from '../engine.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { DiskStates } from './disk-states.ts';
import { MemoryStates } from './memory-states.ts';
import { adapterMix } from './prefix-hash.ts';
import { PrefillSpeed } from '../scheduler/prefill.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { SlotManager, type SlotManagerOptions } from './slot-manager.ts';
import type { SlotUse } from './slot-use.ts';

const never = new AbortController().signal;
const logger = createLogger('silent');

describe('SlotManager', () => {
  let folder: string;
  /** Contents of the engine's slots. */
  let contents: Map<number, string>;
  let states: SlotManagerOptions['states'];
  let disk: DiskStates;
  let calls: string[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    contents = new Map();
    calls = [];
    disk = await DiskStates.open({
      folder: join(folder, 'disk'),
      maxBytes: 1e9,
      isWanted: async () => true,
      logger,
      usableBytes: async () => 1e9,
    });
    states = {
      save: async (slot, fileName) => {
        calls.push(`save ${contents.get(slot) ?? ''}`);
        await writeFile(join(folder, fileName), contents.get(slot) ?? '');
        return 64 * (contents.get(slot) ?? '').length;
      },
      erase: async (slot) => {
        calls.push(`erase ${contents.get(slot) ?? ''}`);
        contents.delete(slot);
      },
      restore: async (slot, fileName) => {
        const text = await readFile(join(folder, fileName), 'utf8');
        calls.push(`restore ${text}`);
        contents.set(slot, text);
        return 64 * text.length;
      },
      read: async (placement, tokens) => {
        calls.push(`read ${tokens.length} with ${adapterMix(placement.adapters)}`);
        return { cachedTokens: 0, promptMs: 0 };
      },
      tokenize: async () => undefined,
    };
  });

  const slotsWith = (options: Partial<SlotManagerOptions> = {}): SlotManager =>
    new SlotManager({
      states,
      slotCount: 1,
      key: 'key',
      memory: new MemoryStates({
        folder,
        maxBytes: 1e6,
        freeBytes: async () => 1e6,
        bytesPerToken: 1,
      }),
      isMemory: true,
      disk,
      persistsStateless: false,
      speed: new PrefillSpeed(256),
      contextLength: 4096,
      idleMs: 1e6,
      stopSaveMs: 1000,
      logger,
      ...options,
    });

  /** Reads a prompt like an engine. */
  async function useSlot(
    slots: SlotManager,
    letters: string,
    {
      responseId = 'resp',
      ownerId = null as string | null,
      adapters = [] as readonly AdapterScale[],
      cachedTokens = 1e6,
    } = {},
  ): Promise<SlotUse> {
    const taken = await slots.take(letterPrompt(letters, ownerId, adapters), 0, never);
    contents.set(taken.slotId, letters);
    const tokens = letters.length * 64;
    const content = { ...letterPrompt(letters, ownerId, adapters), tokens, heldTokens: tokens };
    taken.release({ ...content, responseId: responseId === '' ? null : responseId }, cachedTokens);
    return taken;
  }

  const engineFiles = async (): Promise<readonly string[]> =>
    (await readdir(folder)).filter((name) => name.endsWith('.bin'));

  it('saves a conversation that another one replaces, and restores it for its next turn', async () => {
    const slots = slotsWith();
    await useSlot(slots, 'abc');
    await useSlot(slots, 'xyz');
    await useSlot(slots, 'abcd');
    expect(calls).toEqual(['save abc', 'save xyz', 'restore abc']);
    await slots.saveAll(never);
    expect(disk.list('key')).toHaveLength(2);
  });

  it('delays no request by saving what the engine reads again at once', async () => {
    const speed = new PrefillSpeed(256);
    speed.measure(1000, 1000);
    const slots = slotsWith({ speed });
    await useSlot(slots, 'abc');
    await useSlot(slots, 'xyz');
    expect(calls).toEqual([]);
    await slots.saveAll(never);
    expect(calls).toEqual(['save xyz']);
    await useSlot(slots, 'abcdef');
    await useSlot(slots, 'xyz');
    expect(calls).toEqual(['save xyz', 'save abcdef', 'restore xyz']);
  });

  it('continues in another engine from the state on disk', async () => {
    const slots = slotsWith();
    await useSlot(slots, 'abc');
    await slots.saveAll(never);
    calls = [];
    contents.clear();
    const other = slotsWith();
    expect((await useSlot(other, 'abcd')).reusesSlot).toBe(true);
    expect(calls).toEqual(['restore abc']);
    await useSlot(slotsWith({ key: 'another' }), 'abcd');
    expect(calls).toEqual(['restore abc']);
  });

  it('gives each concurrent generation a slot of its own, and lets others wait', async () => {
    const slots = slotsWith({ slotCount: 2 });
    const scheduler = new Scheduler(2, 10);
    scheduler.open();
    scheduler.manage(slots);
    const start = async (signal = never) => {
      const place = await scheduler.enter('client', signal).place;
      const { prefix } = letterPrompt('abc');
      const use = await place.start(
        {
          isLong: () => false,
          cellsToStart: () => slots.cellsToReserve(prefix, 0),
          isPausable: () => false,
          take: () => slots.take(letterPrompt('abc'), 0, signal),
          pause: () => {},
        },
        signal,
      );
      return { place, use };
    };
    const first = await start();
    const second = await start();
    expect([first.use?.slotId, second.use?.slotId]).toEqual([0, 1]);
    expect(slots.table.isIdle).toBe(false);
    await expect(slots.take(letterPrompt('abc'), 0, never)).rejects.toThrow('no slot is free');
    const client = new AbortController();
    const leaving = start(client.signal);
    const waiting = start();
    client.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    second.use?.release({ ...letterPrompt('abc'), tokens: 192, heldTokens: 192 }, 0);
    second.place.leave();
    expect((await waiting).use).toMatchObject({ slotId: 1, expectedTokens: 192 });
  });

  it('settles slots of stored conversations, again if a request came between', async () => {
    const slots = slotsWith({ slotCount: 2 });
    const settled = { ...letterPrompt('abc'), responseId: 'resp', tokens: 192, heldTokens: 192 };
    const content = { ...letterPrompt('ab'), responseId: 'resp', tokens: 128, heldTokens: 150 };
    let settledCount = 0;
    const settle = async (signal: AbortSignal) => {
      signal.throwIfAborted();
      settledCount += 1;
      return settled;
    };
    const kinds = [content, { ...content, responseId: null }];
    const uses = await Promise.all(kinds.map(() => slots.take(letterPrompt('ab'), 0, never)));
    kinds.forEach((kind, index) => uses[index]?.release(kind, 0, settle));
    const request = new AbortController();
    request.abort();
    await slots.settleIdle(request.signal);
    expect(settledCount).toBe(0);
    await slots.settleIdle(never);
    await slots.settleIdle(never);
    expect(settledCount).toBe(1);
    expect(slots.table.isIdle).toBe(true);
    expect(slots.matchedTokens(letterPrompt('abcd').prefix)).toBe(192);
  });

  it('shares the beginning of a prompt that is being read, and never writes it to disk', async () => {
    const slots = slotsWith({ slotCount: 2 });
    const leader = await slots.take({ ...letterPrompt('abcx'), responseId: 'resp' }, 0, never);
    contents.set(leader.slotId, 'abc');
    await leader.share({ prefix: letterPrompt('abc').prefix, tokens: 192, heldTokens: 192 });
    expect(slots.matchedTokens(letterPrompt('abcy').prefix)).toBe(192);
    const follower = await slots.take(letterPrompt('abcy'), 0, never);
    expect(follower).toMatchObject({ slotId: 1, reusesSlot: true, expectedTokens: 192 });
    expect(calls).toEqual(['save abc', 'restore abc']);
    await slots.saveAll(never);
    expect(disk.list('key')).toEqual([]);
  });

  it('does not let a token use what another one sent', async () => {
    const slots = slotsWith();
    expect((await useSlot(slots, 'abc', { ownerId: 'one' })).reusesSlot).toBe(true);
    expect((await useSlot(slots, 'abc', { ownerId: 'two' })).reusesSlot).toBe(false);
    expect((await useSlot(slots, 'abcd', { ownerId: 'two' })).reusesSlot).toBe(true);
    expect(calls).toEqual(['save abc']);
    expect((await useSlot(slots, 'abcd', { ownerId: 'one' })).reusesSlot).toBe(true);
    expect(calls.at(-1)).toBe('restore abc');
  });

  it('writes nothing of requests that are not stored to disk', async () => {
    const diskOnly = slotsWith({ isMemory: false });
    await useSlot(diskOnly, 'abc', { responseId: '' });
    await useSlot(diskOnly, 'xyz', { responseId: '' });
    await diskOnly.saveAll(never);
    expect(calls).toEqual([]);

    const memory = slotsWith();
    await useSlot(memory, 'abc', { responseId: '' });
    await useSlot(memory, 'xyz', { responseId: '' });
    await useSlot(memory, 'abcd', { responseId: '' });
    await memory.saveAll(never);
    expect(calls).toEqual(['save abc', 'save xyz', 'restore abc']);
    expect(disk.list('key')).toEqual([]);

    const persistent = slotsWith({ isMemory: false, persistsStateless: true });
    await useSlot(persistent, 'abc', { responseId: '' });
    await persistent.saveAll(never);
    expect(disk.list('key')).toHaveLength(1);
  });

  it('keeps the tokens of one mix of adapters from another one', async () => {
    const pirate = { adapters: [{ id: 'pirate', scale: 1 }] };
    const slots = slotsWith({ hasAdapters: true });
    expect((await useSlot(slots, 'abc', pirate)).reusesSlot).toBe(true);
    expect((await useSlot(slots, 'abc')).reusesSlot).toBe(false);
    calls.splice(0);
    expect((await useSlot(slots, 'abcd', pirate)).reusesSlot).toBe(true);
    // The engine empties a slot when the adapters change, so they are changed before the state is restored.
    const switched = 'read 1 with ["pirate",1]';
    expect(calls.splice(0)).toEqual(['save abc', switched, 'restore abc']);
    // A failed generation may not have begun, so the engine's adapters are then unknown.
    const failed = await slots.take(letterPrompt('p'), 0, never);
    failed.release({ ...letterPrompt('p'), tokens: 0, heldTokens: 0 }, undefined);
    await useSlot(slots, 'abcd', pirate);
    expect(calls).toContain(switched);
  });

  it('leaves no files behind where they would be on a disk', async () => {
    const slots = slotsWith({ isMemory: false });
    await useSlot(slots, 'abc');
    await useSlot(slots, 'xyz');
    await useSlot(slots, 'abcd');
    await slots.saveAll(never);
    expect(await engineFiles()).toEqual([]);
    expect(disk.list('key')).toHaveLength(2);
  });

  it('reads a prompt if nothing can be saved or restored', async () => {
    const failing = slotsWith({
      states: {
        ...states,
        save: () => Promise.reject(new HearthError('invalid_value', 'disk full')),
        restore: () => Promise.reject(new HearthError('invalid_value', 'no')),
        erase: async () => {},
      },
    });
    await useSlot(failing, 'abc');
    await useSlot(failing, 'xyz');
    await failing.saveAll(never);
    expect(await engineFiles()).toEqual([]);

    const slots = slotsWith();
    await useSlot(slots, 'abc');
    await slots.saveAll(never);
    const other = slotsWith({
      states: { ...states, restore: () => Promise.reject(new Error('no')) },
    });
    expect((await useSlot(other, 'abcd')).reusesSlot).toBe(false);
    expect(disk.list('key')).toEqual([]);
    expect(other.isRestoring).toBe(false);
  });

  it('does not use a slot after a restoration of unknown result, nor a vanished file', async () => {
    const slots = slotsWith();
    await useSlot(slots, 'abc');
    await useSlot(slots, 'xyz');
    await slots.saveAll(never);
    for (const name of await engineFiles()) await rm(join(folder, name));
    expect((await useSlot(slots, 'abcd')).reusesSlot).toBe(false);
    expect(calls.at(-1)).toBe('save xyz');
    // The copy on disk is still there.
    await useSlot(slots, 'xyz');
    expect((await useSlot(slots, 'abcd')).reusesSlot).toBe(true);
  });

  it('reports an engine that ends while it restores', async () => {
    const slots = slotsWith();
    await useSlot(slots, 'abc');
    await slots.saveAll(never);
    const crashed = new HearthError('crashed', 'gone');
    const other = slotsWith({ states: { ...states, restore: () => Promise.reject(crashed) } });
    await useSlot(other, 'abcd');
    expect(other.isRestoring).toBe(true);
    // The state is not tried again.
    expect(disk.list('key')).toEqual([]);
  });

  it('waits a limited time, and not after the client has left', async () => {
    const slots = slotsWith({
      states: { ...states, save: () => new Promise(() => {}) },
      maxPrepareMs: 20,
    });
    await useSlot(slots, 'abc');
    await useSlot(slots, 'xyz');
    const client = new AbortController();
    const waiting = slots.take(letterPrompt('pqr'), 0, client.signal);
    client.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    expect(slots.table.isIdle).toBe(true);
    const limit = new AbortController();
    const saving = slots.saveAll(limit.signal);
    limit.abort();
    await saving;
  });

  it('does not label the prompt of a later request as an earlier one', async () => {
    let finish = (): void => {};
    const slots = slotsWith({
      states: {
        ...states,
        save: async (slot, fileName) => {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return states.save(slot, fileName, never);
        },
      },
    });
    await useSlot(slots, 'abc');
    const saving = slots.saveAll(never);
    await expect.poll(() => finish.name).not.toBe('finish');
    await useSlot(slots, 'abcd', { responseId: '' });
    finish();
    await saving;
    expect(disk.list('key')).toEqual([]);
    expect(await engineFiles()).toEqual([]);
  });

  it('stops restoring for an engine that does not use its states', async () => {
    const slots = slotsWith();
    for (let round = 0; round < 4; round += 1) {
      await useSlot(slots, 'abc');
      await useSlot(slots, 'xyz', { cachedTokens: 0 });
      await useSlot(slots, 'abcd', { cachedTokens: 0 });
      await useSlot(slots, 'xyzw', { cachedTokens: 0 });
    }
    expect(calls.filter((call) => call.startsWith('restore')).length).toBeLessThanOrEqual(4);
  });

  it('keeps no more in memory than allowed', async () => {
    const memory = new MemoryStates({
      folder,
      maxBytes: 8,
      freeBytes: async () => 1e6,
      bytesPerToken: 1 / 64,
    });
    const slots = slotsWith({ memory });
    for (const letters of ['abc', 'def', 'ghi', 'jkl', 'mnopqrstuvw', 'xyz']) {
      await useSlot(slots, letters, { responseId: '' });
    }
    const size = memory.list().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(size).toBeLessThanOrEqual(8);
    expect(calls).not.toContain('save mnopqrstuvw');
  });
});
