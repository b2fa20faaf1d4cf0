import {
  dedicatedBytes,
  gpuBudgets,
  type GpuBudget,
  type GpuBytes,
  type GpuDevice,
} from '../../platform/machine/gpu-devices.ts';

/** GPU memory that the engines may use, by the latest list of their runtime. */
export class GpuMemory {
  readonly #list: () => Promise<readonly GpuDevice[]>;
  #budgets: readonly GpuBudget[] = [];
  #firstRead: Promise<void> | undefined;
  #reading: Promise<void> | undefined;

  constructor(list: () => Promise<readonly GpuDevice[]>) {
    this.#list = list;
  }

  /** The GPUs, with the bytes that all instances together may use; none until the first list has been read. */
  get budgets(): readonly GpuBudget[] {
    return this.#budgets;
  }

  /** Bytes of the GPUs with memory of their own. */
  get capacityBytes(): number {
    return dedicatedBytes(this.#budgets);
  }

  /** Reads the list once, before the first load. */
  async know(): Promise<void> {
    this.#firstRead ??= this.refresh(() => new Map());
    await this.#firstRead;
  }

  /**
   * Reads the list again; calls in the meantime join.
   *
   * @param ownBytes What the loaded instances use.
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
