import { totalmem } from 'node:os';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import {
  openFrom,
  libraryOf,
  scriptedPoolWith,
} from '../../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { GpuDevice } from '../../platform/machine/gpu-devices.ts';
import { dedicatedBytes, gpuBudgets } from '../../platform/machine/gpu-devices.ts';
import { GpuMemory } from './gpu-memory.ts';
import type { MemoryEstimate } from '../memory/estimate.ts';
import { gpuProcess } from '../memory/process-bytes.ts';

const gibibyte = 1024 ** 3;
const parts = {
  weightsBytes: 10 * gibibyte,
  kvCacheBytes: gibibyte,
  computeBytes: 0,
  projectorBytes: 0,
  processBytes: gibibyte / 4,
};
const estimate: MemoryEstimate = { ...parts, totalBytes: 11.25 * gibibyte };
const onGpuBytes = 11 * gibibyte + gpuProcess.gpuBytes;
const onHostBytes = gibibyte / 4 + gpuProcess.hostBytes;
const attention = {
  layerCount: 4,
  window: null,
  recurrentBytesPerSlot: 0,
  keyBytesPerToken: 1,
  valueBytesPerToken: 1,
};

const gpu = (freeGibibytes: number, changes: Partial<GpuDevice> = {}): GpuDevice => ({
  id: 'CUDA0',
  name: 'GPU',
  totalBytes: 24 * gibibyte,
  freeBytes: freeGibibytes * gibibyte,
  isUnified: false,
  ...changes,
});

let devices: readonly GpuDevice[];
beforeEach(() => {
  devices = [gpu(24)];
});

/** A machine with 4 GiB of free main memory. Each model needs 11.25 GiB. */
function setUp(gpuMemory = new GpuMemory(async () => devices)) {
  const keys = ['test/model', 'test/other', 'test/third'];
  return scriptedPoolWith({
    library: libraryOf(...keys.map((key) => modelEntry({ key, attention }))),
    estimate: () => estimate,
    availableMemory: () => ({ bytes: 4 * gibibyte, includesMappedFiles: false }),
    gpuMemory,
  });
}

describe('a model on a GPU', () => {
  it('needs no memory of the machine for the part on the GPU', async () => {
    const { pool, launcher } = setUp();
    const estimated = await pool.estimate('test/model', {});
    expect(estimated).toMatchObject({ fits: true, placement: { gpuBytes: onGpuBytes } });
    await openFrom(pool, 'test/model');
    expect(launcher.processes[0]?.spec).toMatchObject({
      gpuLayers: 5,
      gpus: { devices: [{ id: 'CUDA0', layers: 5 }] },
    });
    expect(launcher.processes[0]?.spec.expectedBytes).toBe(onGpuBytes + onHostBytes);
    expect(pool.memory().reservedBytes).toBe(onHostBytes);
  });

  it('is offloaded in part if only some layers fit, which its instance shows', async () => {
    devices = [gpu(10)];
    const { pool, launcher } = setUp();
    await openFrom(pool, 'test/model');
    expect(launcher.processes[0]?.spec.gpuLayers).toBe(4);
    expect(pool.list()).toMatchObject([{ placement: { gpuLayers: 4, layerCount: 5 } }]);
  });

  it('is refused if what does not fit on the GPU does not fit into the machine either', async () => {
    devices = [gpu(2)];
    const { pool } = setUp();
    await expect(openFrom(pool, 'test/model')).rejects.toMatchObject({ code: 'out_of_memory' });
    devices = [];
    await expect(openFrom(setUp().pool, 'test/model')).rejects.toMatchObject({
      code: 'out_of_memory',
    });
  });

  it('counts unified memory once', async () => {
    devices = [gpu(24, { isUnified: true })];
    const { pool } = setUp();
    expect(await pool.estimate('test/model', {})).toMatchObject({
      fits: false,
      placement: { gpuBytes: 0, hostBytes: 11.25 * gibibyte },
    });
  });

  it('evicts an idle model from the GPU, and waits until its memory is free', async () => {
    const { pool, launcher } = setUp();
    for (const key of ['test/model', 'test/other']) (await openFrom(pool, key)).close();
    expect(launcher.launchCount()).toBe(2);
    (await openFrom(pool, 'test/third')).close();
    expect(launcher.processes.map((each) => each.isStopped())).toEqual([true, false, false]);
    expect(pool.list().map(({ id }) => id)).toEqual(['test/other', 'test/third']);
  });

  it('leaves the rest to a second model while the first one stays', async () => {
    const { pool, launcher } = setUp();
    await pool.load('test/model', {}, testContext());
    await pool.load('test/other', {}, testContext());
    devices = [gpu(2)];
    await pool.unload('test/other');
    await vi.waitFor(() => expect(launcher.processes[1]?.isStopped()).toBe(true));
    // Another program has taken the freed memory.
    const { usableBytes } = await pool.estimate('test/third', {});
    expect(usableBytes).toBeLessThan(6 * gibibyte);
  });

  it('takes the number of layers of the load', async () => {
    const { pool, launcher } = setUp();
    await pool.load('test/model', { gpuLayers: 4 }, testContext());
    expect(launcher.processes[0]?.spec.gpuLayers).toBe(4);
    await expect(pool.load('test/other', { gpuLayers: 0 }, testContext())).rejects.toMatchObject({
      code: 'out_of_memory',
    });
  });

  it('tells how much the loaded models use, so that the rest is what others left', async () => {
    const memory = new GpuMemory(async () => devices);
    const { pool } = setUp(memory);
    const ownBytes: number[] = [];
    const refresh = memory.refresh.bind(memory);
    memory.refresh = (own) => {
      ownBytes.push(own().get('CUDA0') ?? 0);
      return refresh(own);
    };
    await pool.load('test/model', {}, testContext());
    const lease = await openFrom(pool, 'test/other');
    const waiting = openFrom(pool, 'test/third');
    await vi.waitFor(() => expect(pool.list()).toHaveLength(3));
    await pool.unload('test/model');
    (await waiting).close();
    lease.close();
    const used = [1, 2, 1, 2].map((count) => count * onGpuBytes);
    expect(ownBytes.filter((bytes) => bytes > 0)).toEqual(used);
  });

  it('gets what other programs leave of the GPU when it is loaded', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { pool, launcher } = setUp();
    await pool.estimate('test/model', {});
    devices = [gpu(10)];
    vi.advanceTimersByTime(3000);
    expect((await pool.estimate('test/model', {})).placement).toMatchObject({ gpuLayers: 4 });
    await openFrom(pool, 'test/model');
    expect(launcher.processes[0]?.spec.gpuLayers).toBe(4);
  });

  it('has the memory of the machine and of its GPUs', async () => {
    const { pool } = setUp();
    await pool.estimate('test/model', {});
    // A part of the GPU's memory is kept free.
    const gpuBytes = dedicatedBytes(gpuBudgets(devices, new Map()));
    expect(pool.headroom()).toEqual({
      usableBytes: 4 * gibibyte + gpuBytes,
      capacityBytes: totalmem() + gpuBytes,
    });
  });
});
