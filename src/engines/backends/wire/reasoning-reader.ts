/** Markers that common model families put around the reasoning at the beginning of an answer. */
const formats = [
  // DeepSeek, Qwen, GLM, SmolLM
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  // Magistral
  { open: '[THINK]', close: '[/THINK]' },
  // Seed-OSS
  { open: '<seed:think>', close: '</seed:think>' },
];

interface Read {
  readonly reasoning: string;
  readonly content: string;
}

const nothing: Read = { reasoning: '', content: '' };

/**
 * Separates reasoning from the answer, for servers that leave the markers in the text. Removes line breaks around the
 * reasoning, which come from the chat template, as llama.cpp does.
 */
export class ReasoningReader {
  #state: 'beginning' | 'reasoning' | 'margin' | 'answer' = 'beginning';
  #close = '';
  #pending = '';
  #hasReasoning = false;
  /** White space that may end the reasoning. */
  #margin = '';

  /** True after the first visible character of the answer. The rest of the text needs no reader. */
  get isInAnswer(): boolean {
    return this.#state === 'answer';
  }

  /** True while text is held that may start a marker. */
  get isHolding(): boolean {
    return this.#pending !== '';
  }

  /** Reads a piece of reasoning from the server's own field. */
  pushReasoning(text: string): string {
    if (this.#state === 'beginning') this.#state = 'margin';
    return this.#trimmed(text);
  }

  /** Reads a piece of the text. */
  push(text: string): Read {
    if (this.#state === 'answer') return { reasoning: '', content: text };
    if (this.#state === 'margin') return { reasoning: '', content: this.#answer(text.trimStart()) };
    this.#pending += text;
    return this.#state === 'beginning' ? this.#begin() : this.#continue();
  }

  /** Flushes the text that was held. */
  end(): Read {
    const text = this.#pending;
    this.#pending = '';
    if (this.#state === 'reasoning') return { reasoning: this.#trimmed(text), content: '' };
    return { reasoning: '', content: text };
  }

  #begin(): Read {
    const text = this.#pending.trimStart();
    const format = formats.find(({ open }) => text.startsWith(open));
    if (format !== undefined) {
      this.#state = 'reasoning';
      this.#close = format.close;
      this.#pending = text.slice(format.open.length);
      return this.#continue();
    }
    if (formats.some(({ open }) => open.startsWith(text))) return nothing;
    const content = this.#answer(this.#pending);
    this.#pending = '';
    return { reasoning: '', content };
  }

  #continue(): Read {
    const text = this.#pending;
    const end = text.indexOf(this.#close);
    if (end !== -1) {
      this.#pending = '';
      this.#state = 'margin';
      const content = this.#answer(text.slice(end + this.#close.length).trimStart());
      return { reasoning: this.#trimmed(text.slice(0, end)), content };
    }
    let held = Math.min(text.length, this.#close.length - 1);
    while (held > 0 && !this.#close.startsWith(text.slice(-held))) held -= 1;
    this.#pending = text.slice(text.length - held);
    return { reasoning: this.#trimmed(text.slice(0, text.length - held)), content: '' };
  }

  #answer(text: string): string {
    if (text !== '') this.#state = 'answer';
    return text;
  }

  #trimmed(text: string): string {
    const pending = this.#margin + text;
    const begun = this.#hasReasoning ? pending : pending.trimStart();
    const shown = begun.trimEnd();
    this.#margin = begun.slice(shown.length);
    this.#hasReasoning ||= shown !== '';
    return shown;
  }
}
