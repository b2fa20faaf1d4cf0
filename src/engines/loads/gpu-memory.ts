import { gpuCapacity, type GpuDevice } from '../../platform/machine/gpu-devices.ts';

/** What the engines may use of the GPUs, by the latest list of their runtime. */
export class GpuMemory {
  readonly #list: () => Promise<readonly GpuDevice[]>;
  #capacityBytes = 0;
  #firstRead: Promise<void> | undefined;
  #reading: Promise<void> | undefined;

  constructor(list: () => Promise<readonly GpuDevice[]>) {
    this.#list = list;
  }

  /** Bytes that all instances together may use; 0 until the first list has been read. */
  get capacityBytes(): number {
    return this.#capacityBytes;
  }

  /** Reads the list once, before the first load. */
  async know(): Promise<void> {
    this.#firstRead ??= this.refresh(() => 0);
    await this.#firstRead;
  }

  /**
   * Reads the list again; calls in the meantime join.
   *
   * @param ownBytes What the loaded instances use.
   */
  async refresh(ownBytes: () => number): Promise<void> {
    this.#reading ??= this.#read(ownBytes).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #read(ownBytes: () => number): Promise<void> {
    const devices = await this.#list();
    this.#capacityBytes = gpuCapacity(devices, ownBytes());
  }
}
