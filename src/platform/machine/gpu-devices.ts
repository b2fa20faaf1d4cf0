/** A device listed by an engine's `--list-devices`; sizes are in bytes. */
export interface GpuDevice {
  /** Engine's id of the device, such as `CUDA0`. */
  readonly id: string;
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** True if the device uses the machine's memory, which must not be counted twice. */
  readonly isUnified: boolean;
}

const mebibyte = 1024 * 1024;
/** More memory than any device has; broken drivers report larger numbers. */
const maxDeviceMebibytes = 16 * 1024 * 1024;

/** Backends in the list that are not GPUs: the CPU, its matrix library, and remote machines. */
const otherBackends = /^(?:cpu|blas|accel|rpc|amx)/iu;
/** Backends and names of GPUs that use the machine's memory, such as Apple silicon and integrated GPUs. */
const unifiedBackends = /^(?:metal|mtl)/iu;
const unifiedNames =
  /\b(?:apple m\d|tegra|orin|thor|gb10|uhd graphics|hd graphics|iris|radeon(?:\(tm\))? graphics|radeon(?:\(tm\))? \d+[ms]|processor|adreno|mali)\b/iu;
/**
 * Vulkan's output before the list: `ggml_vulkan: 0 = Intel(R) UHD Graphics 770 (ADL-S GT1) (Mesa) |
 * uma: 1 | ...`
 */
const vulkanMemory = /^ggml_vulkan: (\d+) = .*\| uma: ([01]) \|/u;
/** Software renderers, which compute on the CPU behind a GPU's interface. */
const softwareNames = /\b(?:llvmpipe|swiftshader|lavapipe|softpipe)\b/iu;

/**
 * Parses the output of `llama-server --list-devices`, whose lines are `  CUDA0: NVIDIA RTX 3090 (24124 MiB, 23688 MiB
 * free)`. Omits lines with missing or absurd numbers. Free memory is at most the total.
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

/** The part of a GPU's memory that all engines of this server may use together. */
export interface GpuBudget extends Pick<GpuDevice, 'id' | 'name' | 'isUnified'> {
  readonly bytes: number;
}

/** Bytes by GPU id. */
export type GpuBytes = ReadonlyMap<string, number>;

/**
 * Bytes that the engines leave free of each GPU, for the desktop and errors of estimates. Where a GPU uses the memory
 * of the machine, they include the driver's, which the estimate does not count there.
 */
const reserveBytes = { unified: 768 * mebibyte, dedicated: 512 * mebibyte };

/**
 * @param ownBytes Memory that the engines used when the list was read; other programs use the rest of the occupied
 *   memory.
 */
export function gpuBudgets(
  devices: readonly GpuDevice[],
  ownBytes: GpuBytes,
): readonly GpuBudget[] {
  return devices.map(({ id, name, isUnified, totalBytes, freeBytes }) => {
    const others = Math.max(0, totalBytes - freeBytes - (ownBytes.get(id) ?? 0));
    const reserve = isUnified ? reserveBytes.unified : reserveBytes.dedicated;
    return { id, name, isUnified, bytes: Math.max(0, totalBytes - reserve - others) };
  });
}

export function bytesById(gpus: readonly Pick<GpuBudget, 'id' | 'bytes'>[]): GpuBytes {
  return new Map(gpus.map(({ id, bytes }) => [id, bytes]));
}

/** Sums several uses per GPU. */
export function sumGpuBytes(uses: readonly GpuBytes[]): GpuBytes {
  const sums = new Map<string, number>();
  for (const [id, bytes] of uses.flatMap((use) => [...use]))
    sums.set(id, (sums.get(id) ?? 0) + bytes);
  return sums;
}

/** Total bytes of the GPUs that have their own memory. */
export function dedicatedBytes(gpus: readonly Omit<GpuBudget, 'id' | 'name'>[]): number {
  return gpus.reduce((sum, { isUnified, bytes }) => sum + (isUnified ? 0 : bytes), 0);
}
