import { createLogger } from '../../telemetry/logger.ts';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { prefixHash, type CachedPrompt } from './prefix-hash.ts';
import { DiskStates, type DiskState, type DiskStatesOptions } from './disk-states.ts';

const never = new AbortController().signal;
const dataBytes = 10_000;

function prompt(text: string, responseId: string | null = null): CachedPrompt {
  const prefix = prefixHash(null, { kind: 'completion', prompt: text, sampling: {} });
  return { ownerId: null, responseId, prefix, tokens: 100, heldTokens: 100 };
}

describe('DiskStates', () => {
  let folder: string;
  let source: string;
  let targets = 0;

  beforeEach(async () => {
    const parent = await temporaryFolder();
    folder = join(parent, 'disk');
    source = join(parent, 'source.bin');
    await writeFile(source, Buffer.alloc(dataBytes, 7));
  });

  const open = (options: Partial<DiskStatesOptions> = {}): Promise<DiskStates> =>
    DiskStates.open({
      folder,
      maxBytes: 10 ** 9,
      isWanted: async () => true,
      logger: createLogger('silent'),
      usableBytes: async () => 10 ** 9,
      ...options,
    });

  const written = async (disk: DiskStates, text: string): Promise<DiskState> => {
    const state = await disk.write('key', prompt(text), source, never);
    if (state === undefined) throw new Error(`${text} was not written`);
    return state;
  };

  const restore = (disk: DiskStates, state: DiskState, use = async () => {}): Promise<void> => {
    targets += 1;
    return disk.restore(state, join(folder, `../target-${targets}`), use, never);
  };

  const texts = (disk: DiskStates): number => disk.list('key').length;

  it('finds states after a restart, only for the same engine, oldest first', async () => {
    const disk = await open();
    const first = await written(disk, 'first');
    const second = await written(disk, 'second');
    await restore(disk, first);
    await utimes(join(folder, `${second.id}.state`), 1, 1);
    const reopened = await open();
    expect(reopened.list('key').map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(reopened.list('key')[1]?.prompt).toEqual(prompt('first'));
    expect(reopened.list('other')).toEqual([]);
  });

  it('does not depend on the clock: times in the future and in the past are only an order', async () => {
    const disk = await open();
    const future = await written(disk, 'future');
    const past = await written(disk, 'past');
    await utimes(join(folder, `${future.id}.state`), 4e9, 4e9);
    await utimes(join(folder, `${past.id}.state`), 0, 0);
    const reopened = await open({ maxBytes: 2.5 * dataBytes });
    await written(reopened, 'new');
    await restore(reopened, future);
    expect(reopened.list('key').map(({ id }) => id)).not.toContain(past.id);
    expect(texts(reopened)).toBe(2);
  });

  it('deletes the least recently used states to stay within its size', async () => {
    const disk = await open({ maxBytes: 3.5 * dataBytes });
    const [one, two, three] = [
      await written(disk, 'one'),
      await written(disk, 'two'),
      await written(disk, 'three'),
    ];
    await restore(disk, one);
    const four = await written(disk, 'four');
    const ids = disk.list('key').map(({ id }) => id);
    expect(ids).toEqual([three.id, one.id, four.id]);
    expect(ids).not.toContain(two.id);
    expect(await readdir(folder)).toHaveLength(3);
    expect(disk.totalBytes).toBeLessThanOrEqual(3.5 * dataBytes);
  });

  it('does not write a state that is too large, or on a full disk', async () => {
    const small = await open({ maxBytes: dataBytes - 1 });
    expect(await small.write('key', prompt('a'), source, never)).toBeUndefined();
    const full = await open({ usableBytes: async () => -5 });
    expect(await full.write('key', prompt('a'), source, never)).toBeUndefined();
    const failing = await open({ usableBytes: async () => Promise.reject(new Error('ENOSPC')) });
    expect(await failing.write('key', prompt('a'), source, never)).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  it('frees the disk of old states for a new one', async () => {
    const disk = await open();
    await written(disk, 'old');
    const scarce = await open({
      usableBytes: async () => ((await readdir(folder)).length > 0 ? 0 : dataBytes),
    });
    expect(await scarce.write('key', prompt('new'), source, never)).toBeDefined();
    expect(texts(scarce)).toBe(1);
  });

  it('replaces the states that a longer one of the conversation contains', async () => {
    const disk = await open();
    const block = 'x'.repeat(256);
    await written(disk, block);
    await written(disk, `${block}branch`);
    const whole = await written(disk, `${block}more`);
    expect(disk.list('key').map(({ id }) => id)).toContain(whole.id);
    expect(texts(disk)).toBe(2);
  });

  it('deletes a damaged state instead of restoring it', async () => {
    const disk = await open();
    const state = await written(disk, 'text');
    const path = join(folder, `${state.id}.state`);
    const bytes = await readFile(path);
    bytes[5] = 0;
    await writeFile(path, bytes);
    await expect(restore(disk, state)).rejects.toThrow('was changed');
    expect(await readdir(folder)).toEqual([]);
    expect(texts(disk)).toBe(0);
  });

  it('does without a state that has vanished', async () => {
    const disk = await open();
    const state = await written(disk, 'text');
    await rm(join(folder, `${state.id}.state`));
    await expect(restore(disk, state)).rejects.toThrow('ENOENT');
    expect(texts(disk)).toBe(0);
    await rm(folder, { recursive: true });
    expect(await disk.write('key', prompt('a'), source, never)).toBeUndefined();
    expect(await disk.write('key', prompt('a'), `${source}-gone`, never)).toBeUndefined();
  });

  it('does not restore again what an engine read when the server ended', async () => {
    const disk = await open();
    const state = await written(disk, 'text');
    let names: readonly string[] = [];
    await restore(disk, state, async () => {
      names = await readdir(folder);
      // Another engine of the model can't use the state meanwhile.
      expect(texts(disk)).toBe(0);
    });
    expect(names).toEqual([`${state.id}.restoring`]);
    expect(await readdir(folder)).toEqual([`${state.id}.state`]);

    await rename(join(folder, `${state.id}.state`), join(folder, `${state.id}.restoring`));
    expect(texts(await open())).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('deletes a state whose restoration failed, not one whose copying was aborted', async () => {
    const disk = await open();
    const state = await written(disk, 'text');
    const aborted = AbortSignal.abort(new Error('gone'));
    const target = join(folder, '../target');
    await expect(disk.restore(state, target, async () => {}, aborted)).rejects.toThrow('gone');
    expect(texts(disk)).toBe(1);
    await rm(target, { force: true });
    await expect(restore(disk, state, () => Promise.reject(new Error('crashed')))).rejects.toThrow(
      'crashed',
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('deletes states of deleted responses, also one that is being written or restored', async () => {
    const unwanted = new Set<string | null>();
    const isWanted: DiskStatesOptions['isWanted'] = async ({ responseId }) =>
      !unwanted.has(responseId);
    const disk = await open({ isWanted });
    const state = await disk.write('key', prompt('a', 'resp_a'), source, never);
    await disk.write('key', prompt('b', 'resp_b'), source, never);
    unwanted.add('resp_a');
    if (state === undefined) throw new Error('not written');
    await restore(disk, state, () => disk.removeUnwanted());
    expect(await readdir(folder)).toHaveLength(1);

    let checks = 0;
    const deletedMeanwhile = await open({
      isWanted: async ({ responseId }) => {
        checks += responseId === 'resp_c' ? 1 : 0;
        return responseId !== 'resp_c' || checks < 2;
      },
    });
    const writing = deletedMeanwhile.write('key', prompt('c', 'resp_c'), source, never);
    expect(await writing).toBeUndefined();
    expect(await readdir(folder)).toHaveLength(1);
    expect(texts(await open({ isWanted: async () => false }))).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('removes what a killed server left, and opens its folder to this user only', async () => {
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(folder, 'aa.new'), 'half');
    await writeFile(join(folder, 'bb.state'), 'not a state');
    await open();
    expect(await readdir(folder)).toEqual([]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });
});
