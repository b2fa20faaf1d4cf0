/** A device of an engine's `--list-devices`, in bytes. */
export interface GpuDevice {
  /** Such as `CUDA0`. */
  readonly id: string;
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** Whether it uses the memory of the machine, which must not be counted twice. */
  readonly isUnified: boolean;
}

const mebibyte = 1024 * 1024;
/** More than any device has; a broken driver reports larger numbers. */
const maxDeviceMebibytes = 16 * 1024 * 1024;

/** Backends of the list that are not GPUs: the processor, its matrix library, and remote machines. */
const otherBackends = /^(?:cpu|blas|accel|rpc|amx)/iu;
/** Apple silicon, and boards whose GPU uses the memory of the machine. */
const unifiedBackends = /^(?:metal|mtl)/iu;
const unifiedNames =
  /\b(?:apple m\d|tegra|orin|thor|gb10|uhd graphics|hd graphics|iris|radeon(?:\(tm\))? graphics|radeon \d+m\b|adreno|mali)\b/iu;
/** Software that computes on the processor behind the interface of a GPU. */
const softwareNames = /\b(?:llvmpipe|swiftshader|lavapipe|softpipe)\b/iu;

/**
 * Reads the output of `llama-server --list-devices`, whose lines are `  CUDA0: NVIDIA RTX 3090 (24124 MiB, 23688 MiB free)`.
 * Lines with missing or absurd numbers are left out; the free memory is at most the total.
 */
export function parseDeviceList(output: string): readonly GpuDevice[] {
  const found = new Map<string, GpuDevice>();
  for (const line of output.split(/\r?\n/u)) {
    const match = /^\s*([A-Za-z]+\d*): (.+) \((\d+) MiB, (\d+) MiB free\)\s*$/u.exec(line);
    if (match === null) continue;
    const [, id = '', name = '', total = '', free = ''] = match;
    const totalMebibytes = Number(total);
    if (totalMebibytes === 0 || totalMebibytes > maxDeviceMebibytes) continue;
    if (otherBackends.test(id) || softwareNames.test(name)) continue;
    found.set(id, {
      id,
      name,
      totalBytes: totalMebibytes * mebibyte,
      freeBytes: Math.min(Number(free), totalMebibytes) * mebibyte,
      isUnified: unifiedBackends.test(id) || unifiedNames.test(name),
    });
  }
  return [...found.values()];
}

/** Left free on each GPU: the context of its driver, buffers that grow, the desktop. */
const reserveBytes = 768 * mebibyte;

/**
 * Bytes of all GPUs with memory of their own that the engines of this server may use together.
 *
 * @param ownBytes What its engines used when the list was read; other programs use the rest of what is not free.
 */
export function gpuCapacity(devices: readonly GpuDevice[], ownBytes: number): number {
  const dedicated = devices.filter(({ isUnified }) => !isUnified);
  const sum = (bytesOf: (device: GpuDevice) => number): number =>
    dedicated.reduce((bytes, device) => bytes + bytesOf(device), 0);
  const usable = sum(({ totalBytes }) => Math.max(0, totalBytes - reserveBytes));
  const used = sum(({ totalBytes, freeBytes }) => totalBytes - freeBytes);
  return Math.max(0, usable - Math.max(0, used - Math.max(0, ownBytes)));
}
