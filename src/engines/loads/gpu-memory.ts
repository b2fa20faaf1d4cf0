import {
  dedicatedBytes,
  gpuBudgets,
  type GpuBudget,
  type GpuBytes,
  type GpuDevice,
} from '../../platform/machine/gpu-devices.ts';

/** GPU memory that the engines may use, according to the runtime's latest list. */
export class GpuMemory {
  readonly #list: () => Promise<readonly GpuDevice[]>;
  #budgets: readonly GpuBudget[] = [];
  #firstRead: Promise<void> | undefined;
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

  /** Reads the list once. Must be called before the first load. */
  async know(): Promise<void> {
    this.#firstRead ??= this.refresh(() => new Map());
    await this.#firstRead;
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
  }
}
