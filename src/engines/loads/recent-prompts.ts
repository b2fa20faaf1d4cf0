/** Maximum number of recorded prompts. */
const maxPrompts = 16;

/** Maximum length of a recorded prompt, in code units. */
export const promptKeyLength = 4096;

/** Records the beginnings of the latest prompts of an instance, oldest first. */
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
