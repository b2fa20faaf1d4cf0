import type { HearthError } from '../contract/errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { InstanceView } from './policy/instance-view.ts';
import type { Instance } from './instance.ts';
import type { LoadTask } from './load-task.ts';

/** The instances that there are, and those that are off the list but still hold their memory. */
export class InstanceRegistry {
  readonly #logger: Logger;
  readonly #onGone: () => void;
  readonly #instances = new Map<string, Instance>();
  readonly #leaving = new Map<Instance, Promise<void>>();

  /** @param onGone Called when a process has gone and its memory is free again. */
  constructor(logger: Logger, onGone: () => void) {
    this.#logger = logger;
    this.#onGone = onGone;
  }

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  /** All that hold or want memory, as the decisions see them. */
  views(): readonly InstanceView[] {
    return [...this.#instances.values(), ...this.#leaving.keys()].map((each) => each.view());
  }

  add(instance: Instance): void {
    this.#instances.set(instance.id, instance);
  }

  /** Takes an instance whose process has gone off the list, with the error for those that still use it. */
  remove(instance: Instance, error: HearthError): void {
    instance.retire(error);
    if (this.#instances.get(instance.id) === instance) this.#instances.delete(instance.id);
  }

  /** Takes an instance off the list and stops its process; resolves when its memory is free again. */
  async retire(instance: Instance, error: HearthError): Promise<void> {
    const { load } = instance;
    this.remove(instance, error);
    load?.cancel(error);
    const stopping = this.#stop(instance, load).finally(() => {
      this.#leaving.delete(instance);
      this.#onGone();
    });
    this.#leaving.set(instance, stopping);
    await stopping;
  }

  /** Retires an instance that nobody waits to see gone. */
  discard(instance: Instance, error: HearthError): void {
    this.retire(instance, error).catch((err: unknown) => {
      this.#logger.error({ instance: instance.id, err }, 'engine not stopped');
    });
  }

  /** Retires all; resolves when everything has gone, also what was on its way out already. */
  async close(reason: HearthError): Promise<void> {
    for (const instance of this.list()) this.discard(instance, reason);
    await Promise.allSettled(this.#leaving.values());
  }

  async #stop(instance: Instance, load: LoadTask | undefined): Promise<void> {
    await load?.done.catch(() => {});
    await instance.process?.stop();
  }
}
