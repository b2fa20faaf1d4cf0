import type { InstanceView } from './policy/instance-view.ts';
import type { Instance } from './instance.ts';

/** The instances by id, and the stopping ones, which still use memory. */
export class InstanceRegistry {
  readonly #instances = new Map<string, Instance>();
  readonly #stopping = new Set<Instance>();

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** The instances that no longer take requests and may still have some. */
  stopping(): readonly Instance[] {
    return [...this.#stopping];
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  /** Views of all instances that use or wait for memory, for the scheduler's policies. */
  views(): readonly InstanceView[] {
    return [...this.#instances.values(), ...this.#stopping].map((each) => each.view());
  }

  add(instance: Instance): void {
    this.#instances.set(instance.id, instance);
  }

  /** Frees the id of an instance, but counts its memory until `remove`. */
  beginStopping(instance: Instance): void {
    this.remove(instance);
    this.#stopping.add(instance);
  }

  /** Removes an instance whose engine has ended. */
  remove(instance: Instance): void {
    this.#stopping.delete(instance);
    if (this.#instances.get(instance.id) === instance) this.#instances.delete(instance.id);
  }
}
