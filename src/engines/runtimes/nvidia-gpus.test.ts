import { describe, expect, it } from 'vitest';
import { parseNvidiaGpus, runsCudaBuild } from './nvidia-gpus.ts';

const gpu = (driverMajor: number, computeCapability?: number) => ({
  driverMajor,
  computeCapability,
});

describe('parseNvidiaGpus', () => {
  it.each([
    ['580.65.06, 6.1\n', [gpu(580, 6.1)]],
    ['580.65.06, 8.6\r\n580.65.06, 6.1\r\n', [gpu(580, 8.6), gpu(580, 6.1)]],
    ['570.86.15\n', [gpu(570)]],
    ['550.54.14, [N/A]\n', [gpu(550)]],
    ['550.54.14, 9223372036854775807\n', [gpu(550)]],
    ['550.54.14, -1.0\n', [gpu(550)]],
    ['No devices were found\n', []],
    ['', []],
    ['9223372036854775807.1, 8.6\n', []],
  ])('reads %j', (output, gpus) => {
    expect(parseNvidiaGpus(output)).toEqual(gpus);
  });
});

describe('runsCudaBuild', () => {
  const cuda13 = { minimumDriverMajor: 580, minimumComputeCapability: 7.5 };

  it.each([
    ['a Turing GPU', [gpu(580, 7.5)], true],
    ['a Pascal GPU with the driver of CUDA 13', [gpu(580, 6.1)], false],
    ['a Pascal GPU beside a newer one', [gpu(590, 8.6), gpu(590, 6.1)], false],
    ['an older driver', [gpu(570, 8.6)], false],
    ['a GPU that reports no capability', [gpu(580)], true],
    ['no GPU', [], false],
  ])('decides for %s', (_, gpus, runs) => {
    expect(runsCudaBuild(cuda13, gpus)).toBe(runs);
  });

  it('has no minimum for other builds', () => {
    expect(runsCudaBuild({}, [gpu(1, 1)])).toBe(true);
  });
});
