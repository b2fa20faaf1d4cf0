import { ForcedCallReader, type CallPiece } from './forced-call.ts';

interface Read {
  /** Text of an answer. */
  readonly text?: string;
  readonly call?: CallPiece | undefined;
}

/** Reads JSON that is a call of `forcedCallSchema` or an answer in a format, piece by piece. */
export class CallOrAnswerReader {
  readonly #openings: readonly string[];
  #pending = '';
  #kind: 'unknown' | 'call' | 'answer' = 'unknown';
  readonly #call = new ForcedCallReader();

  /** @param toolNames Tools that can be called. */
  constructor(toolNames: readonly string[]) {
    this.#openings = toolNames.map((name) => `{"name":${JSON.stringify(name)},"arguments":`);
  }

  push(text: string): Read {
    if (this.#kind === 'call') return { call: this.#call.push(text) };
    if (this.#kind === 'answer') return { text };
    this.#pending += text;
    this.#kind = this.#kindOf(this.#pending);
    if (this.#kind === 'unknown') return {};
    const pending = this.#pending;
    this.#pending = '';
    return this.#kind === 'call' ? { call: this.#call.push(pending) } : { text: pending };
  }

  /** The text that was not returned yet. @param isCut Whether the token limit has cut it. */
  end(isCut: boolean): Read {
    if (this.#kind === 'call') return isCut ? { call: this.#call.endCut() } : {};
    return { text: this.#pending };
  }

  #kindOf(text: string): 'unknown' | 'call' | 'answer' {
    const left = this.#openings.map((opening) => unread(opening, text));
    if (left.includes(0)) return 'call';
    return left.every((length) => length === undefined) ? 'answer' : 'unknown';
  }
}

/**
 * How many characters of an opening are not in the text yet, which may have white space between its tokens; undefined
 * if the text begins with something else.
 */
function unread(opening: string, text: string): number | undefined {
  let position = 0;
  for (const character of text) {
    if (position === opening.length) return 0;
    if (opening.startsWith(character, position)) position += character.length;
    else if (!/\s/.test(character)) return undefined;
  }
  return opening.length - position;
}
