/** A piece of text to show, or a call that the model wrote as text. */
export type MarkupPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly argumentsJson: string };

interface Format {
  readonly open: string;
  /** Absent if the calls extend to the end of the text. */
  readonly close?: string;
}

/** Markers that common model families put around tool calls. */
const formats: readonly Format[] = [
  // Qwen, Hermes, GLM
  { open: '<tool_call>', close: '</tool_call>' },
  { open: '<function_call>', close: '</function_call>' },
  // Llama 3.1
  { open: '<function=', close: '</function>' },
  { open: '<|python_tag|>' },
  // Mistral
  { open: '[TOOL_CALLS]' },
  // Phi 4, Granite
  { open: '<|tool_call|>' },
  // DeepSeek
  { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' },
  // Kimi K2
  { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
];

const marks = formats.map(({ open }) => open);
const longestMark = Math.max(...marks.map(({ length }) => length));
const beginning = /[<[]/;
/** Without these characters, a text has neither markup nor a code block. */
export const markCharacters = /[<[`]/;
/** One or two backticks, which may become three. */
const backticks = /(?<!`)`{1,2}$/;

/**
 * Finds tool calls that the server left in the text. The engine, for example, parses the markup only if the request
 * offers tools. Text in a code block (between lines of three backticks) stays unchanged.
 */
export class ToolMarkupReader {
  #pending = '';
  #format: Format | undefined;
  #isInCode = false;
  /** White space after a call, and before the first one, belongs to the markup. */
  #isAfterCall = false;
  #hasText: boolean;
  #isOnlyAtStart: boolean;

  /**
   * @param isOnlyAtStart True if only a text that begins with markup has calls.
   * @param hasText True if the answer has begun with other text.
   */
  constructor(isOnlyAtStart = false, hasText = false) {
    this.#isOnlyAtStart = isOnlyAtStart;
    this.#hasText = hasText;
  }

  /** True if the text can't have calls, so that the rest needs no reader. */
  get isOff(): boolean {
    return this.#isOnlyAtStart && this.#hasText && this.#pending === '';
  }

  readAnywhere(): void {
    this.#isOnlyAtStart = false;
  }

  push(text: string): readonly MarkupPiece[] {
    this.#pending += text;
    const pieces: MarkupPiece[] = [];
    for (;;) {
      if (this.#isOnlyAtStart && this.#hasText) return [...pieces, ...this.end()];
      if (this.#format === undefined) {
        const found = this.#findOpening();
        if (found === undefined) {
          const length = this.#pending.length - heldLength(this.#pending);
          const isVisible = this.#hasText || this.#pending.slice(0, length).trim() !== '';
          if (isVisible) this.#takeText(pieces, length);
          return pieces;
        }
        const isFirst = !this.#hasText && this.#pending.slice(0, found.index).trim() === '';
        if (isFirst) this.#pending = this.#pending.slice(found.index);
        else this.#takeText(pieces, found.index);
        if (this.#isOnlyAtStart && this.#hasText) continue;
        // A code block may begin before the markup.
        if (this.#isInCode) {
          this.#takeText(pieces, found.format.open.length);
        } else {
          this.#format = found.format;
          this.#pending = this.#pending.slice(found.format.open.length);
        }
      } else {
        const { close } = this.#format;
        const end = close === undefined ? -1 : this.#pending.indexOf(close);
        if (close === undefined || end === -1) return pieces;
        pieces.push(...readCalls(this.#pending.slice(0, end)));
        this.readAnywhere();
        this.#isAfterCall = true;
        this.#pending = this.#pending.slice(end + close.length);
        this.#format = undefined;
      }
    }
  }

  /**
   * Flushes the held text.
   * @param isBeforeCall True if a call follows, to which white space at the beginning of the text belongs.
   */
  end(isBeforeCall = false): readonly MarkupPiece[] {
    const pieces: MarkupPiece[] = [];
    if (isBeforeCall && !this.#hasText) this.#pending = this.#pending.trimStart();
    if (this.#format === undefined) this.#takeText(pieces, this.#pending.length);
    else pieces.push(...readCalls(this.#pending));
    this.#pending = '';
    this.#format = undefined;
    return pieces;
  }

  #findOpening(): { readonly index: number; readonly format: Format } | undefined {
    if (!beginning.test(this.#pending)) return undefined;
    return formats
      .map((format) => ({ index: this.#pending.indexOf(format.open), format }))
      .filter(({ index }) => index !== -1)
      .toSorted((one, other) => one.index - other.index)[0];
  }

  #takeText(pieces: MarkupPiece[], length: number): void {
    let text = this.#pending.slice(0, length);
    this.#pending = this.#pending.slice(length);
    if (text.split('```').length % 2 === 0) this.#isInCode = !this.#isInCode;
    if (this.#isAfterCall) text = text.trimStart();
    if (text === '') return;
    this.#isAfterCall = false;
    this.#hasText = true;
    pieces.push({ type: 'text', text });
  }
}

/** Length of a suffix that may start a marker. */
function heldLength(text: string): number {
  const ticks = backticks.exec(text);
  if (ticks !== null) return ticks[0].length;
  if (!beginning.test(text.slice(1 - longestMark))) return 0;
  for (let length = Math.min(text.length, longestMark - 1); length > 0; length -= 1) {
    const tail = text.slice(-length);
    if (marks.some((mark) => mark.length > length && mark.startsWith(tail))) return length;
  }
  return 0;
}

/** The calls of one block; a call without a name if the block can't be parsed. */
function readCalls(body: string): readonly MarkupPiece[] {
  const values = parse(body);
  const calls = values.flatMap((value) => (isRecord(value) ? [toCall(value)] : []));
  if (calls.length > 0) return calls;
  // `name>{...}`, `=name>...`, `name[ARGS]{...}` and the like: the first word is the name.
  const name = /[\p{L}\p{N}_.:-]+/u.exec(body.replace(/^\s*<function=/, ''))?.[0] ?? '';
  const json = /\{[^]*\}/.exec(body)?.[0] ?? '{}';
  return [{ type: 'call', name, argumentsJson: json }];
}

function parse(body: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [];
  }
}

function toCall({ name, arguments: value, parameters }: Readonly<Record<string, unknown>>) {
  const args = value ?? parameters ?? {};
  return {
    type: 'call',
    name: typeof name === 'string' ? name : '',
    argumentsJson: typeof args === 'string' ? args : JSON.stringify(args),
  } as const;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
