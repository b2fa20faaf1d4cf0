/** A device of an engine's `--list-devices`, in bytes. */
export interface GpuDevice {
  /** Such as `CUDA0`. */
  readonly id: string;
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** True if it uses the memory of the machine, which must not be counted twice. */
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
  /\b(?:apple m\d|tegra|orin|thor|gb10|uhd graphics|hd graphics|iris|radeon(?:\(tm\))? graphics|radeon(?:\(tm\))? \d+[ms]|processor|adreno|mali)\b/iu;
/**
 * Vulkan's output before the list: `ggml_vulkan: 0 = Intel(R) UHD Graphics 770 (ADL-S GT1) (Mesa) |
 * uma: 1 | ...`
 */
const vulkanMemory = /^ggml_vulkan: (\d+) = .*\| uma: ([01]) \|/u;
/** Software that computes on the processor behind the interface of a GPU. */
const softwareNames = /\b(?:llvmpipe|swiftshader|lavapipe|softpipe)\b/iu;

/**
 * Reads the output of `llama-server --list-devices`, whose lines are `  CUDA0: NVIDIA RTX 3090 (24124 MiB, 23688 MiB free)`.
 * Lines with missing or absurd numbers are left out; the free memory is at most the total.
 */
export function parseDeviceList(output: string): readonly GpuDevice[] {
  const found = new Map<string, GpuDevice>();
  const reported = new Map<string, boolean>();
  for (const line of output.split(/\r?\n/u)) {
    const [, number, isShared] = vulkanMemory.exec(line) ?? [];
    if (number !== undefined) reported.set(`Vulkan${number}`, isShared === '1');
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
      isUnified: reported.get(id) ?? (unifiedBackends.test(id) || unifiedNames.test(name)),
    });
  }
  return [...found.values()];
}

/** Memory of a GPU that all engines of this server may use together. */
export interface GpuBudget extends Pick<GpuDevice, 'id' | 'name' | 'isUnified'> {
  readonly bytes: number;
}

/** Bytes by the id of a GPU. */
export type GpuBytes = ReadonlyMap<string, number>;

/**
 * @param ownBytes Use by the engines when the list was read; other programs use the rest of the
 * occupied memory.
 */
const reserveBytes = 768 * mebibyte;

/** @param ownBytes What the engines used when the list was read; other programs use the rest of what is not free. */
export function gpuBudgets(
  devices: readonly GpuDevice[],
  ownBytes: GpuBytes,
): readonly GpuBudget[] {
  return devices.map(({ id, name, isUnified, totalBytes, freeBytes }) => {
    const others = Math.max(0, totalBytes - freeBytes - (ownBytes.get(id) ?? 0));
    return { id, name, isUnified, bytes: Math.max(0, totalBytes - reserveBytes - others) };
  });
}

export function bytesById(gpus: readonly Pick<GpuBudget, 'id' | 'bytes'>[]): GpuBytes {
  return new Map(gpus.map(({ id, bytes }) => [id, bytes]));
}

/** The sum of several uses, for each GPU. */
export function sumGpuBytes(uses: readonly GpuBytes[]): GpuBytes {
  const sums = new Map<string, number>();
  for (const [id, bytes] of uses.flatMap((use) => [...use]))
    sums.set(id, (sums.get(id) ?? 0) + bytes);
  return sums;
}

/** Bytes of the GPUs that do not use the memory of the machine. */
export function dedicatedBytes(gpus: readonly Omit<GpuBudget, 'id' | 'name'>[]): number {
  return gpus.reduce((sum, { isUnified, bytes }) => sum + (isUnified ? 0 : bytes), 0);
}
