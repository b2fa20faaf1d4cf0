import {
  dedicatedBytes,
  gpuBudgets,
  type GpuBudget,
  type GpuBytes,
  type GpuDevice,
} from '../../platform/machine/gpu-devices.ts';

/** Time for which a list counts as current. A runtime with CUDA takes about 0.4 s for one. */
const freshMs = 2000;

/** GPU memory that the engines may use, according to the runtime's latest list. */
export class GpuMemory {
  readonly #list: () => Promise<readonly GpuDevice[]>;
  #budgets: readonly GpuBudget[] = [];
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(list: () => Promise<readonly GpuDevice[]>) {
    this.#list = list;
  }

  /** The GPUs, with the bytes that all instances together may use; empty until the first list has been read. */
  get budgets(): readonly GpuBudget[] {
    return this.#budgets;
  }

  /** Total bytes of the GPUs with memory of their own. */
  get capacityBytes(): number {
    return dedicatedBytes(this.#budgets);
  }

  /**
   * Reads the list again if it is old, since other programs take and free memory. Must be called before a load.
   *
   * @param ownBytes Memory that the loaded instances use.
   */
  async know(ownBytes: () => GpuBytes): Promise<void> {
    if (this.#reading !== undefined || performance.now() - this.#readAt > freshMs) {
      await this.refresh(ownBytes);
    }
  }

  /**
   * Reads the list again. Concurrent calls share one reading.
   *
   * @param ownBytes Memory that the loaded instances use.
   */
  async refresh(ownBytes: () => GpuBytes): Promise<void> {
    this.#reading ??= this.#read(ownBytes).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #read(ownBytes: () => GpuBytes): Promise<void> {
    const devices = await this.#list();
    this.#budgets = gpuBudgets(devices, ownBytes());
    this.#readAt = performance.now();
  }
}
