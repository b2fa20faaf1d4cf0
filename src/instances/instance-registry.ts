import type { InstanceView } from './policy/instance-view.ts';
import type { Instance } from './instance.ts';

/** The instances by id, and those that are being stopped and still hold their memory. */
export class InstanceRegistry {
  readonly #instances = new Map<string, Instance>();
  readonly #stopping = new Set<Instance>();

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  /** All that hold or wait for memory, as the scheduler's decisions see them. */
  views(): readonly InstanceView[] {
    return [...this.#instances.values(), ...this.#stopping].map((each) => each.view());
  }

  add(instance: Instance): void {
    this.#instances.set(instance.id, instance);
  }

  /** Takes an instance off the list, so that its id is free, but counts its memory until `remove`. */
  beginStopping(instance: Instance): void {
    this.remove(instance);
    this.#stopping.add(instance);
  }

  /** Forgets an instance whose engine has ended. */
  remove(instance: Instance): void {
    this.#stopping.delete(instance);
    if (this.#instances.get(instance.id) === instance) this.#instances.delete(instance.id);
  }
}
