/** Prompts that are remembered; an engine with fewer slots has the others no longer in its cache. */
const maxPrompts = 16;

/** Code units of a prompt that are compared and remembered. */
export const promptKeyLength = 4096;

/** Beginnings of the latest prompts of an instance, oldest first. */
export class RecentPrompts {
  readonly #prompts = new Set<string>();

  list(): readonly string[] {
    return [...this.#prompts];
  }

  add(prompt: string): void {
    if (prompt === '') return;
    const key = prompt.slice(0, promptKeyLength);
    this.#prompts.delete(key);
    this.#prompts.add(key);
    const [oldest] = this.#prompts;
    if (this.#prompts.size > maxPrompts && oldest !== undefined) this.#prompts.delete(oldest);
  }
}
