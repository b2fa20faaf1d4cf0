/** How many prompts are remembered: more than an engine has slots would be out of its cache anyway. */
const rememberedCount = 16;

/** Code units of a prompt that are kept; where two prompts agree so far, either instance will do. */
export const promptKeyLength = 4096;

/** Beginnings of the prompts that an instance worked on last, oldest first. */
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
    if (this.#prompts.size > rememberedCount && oldest !== undefined) this.#prompts.delete(oldest);
  }
}
