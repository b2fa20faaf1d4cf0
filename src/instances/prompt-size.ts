import { setImmediate } from 'node:timers/promises';
import type { Prompt } from '../engine/engine.ts';
import type { TokenizerFacts } from '../models/tokenizer-facts.ts';

/** Chat templates trim white space around messages. More than this around a text counts as part of it. */
const maxMargin = 1024 * 1024;
/** Other work runs after each slice. */
const sliceCharacters = 256 * 1024;
/** A longer word is one token only if the tokenizer does not know its characters; it counts by its bytes. */
const maxWordBytes = 1024;

/** Control and format characters, which tokenizers of words drop. */
const dropped = /(?![\t-\r\u0085])[\p{Cc}\p{Cf}]/gu;
const whiteSpace = /[\s\x85]+/g;

/**
 * Returns a lower bound of the tokens of a prompt. Counting words takes about a second for 60 MB without any; other
 * work continues meanwhile, and it stops at `most` + 1.
 */
export async function minTokens(
  text: Prompt,
  tokenizer: TokenizerFacts,
  most: number,
): Promise<number> {
  if (typeof text !== 'string') return text.length;
  if (tokenizer.keeps === 'words') return countWords(text, tokenizer.longestTokenBytes, most);
  const trimmed = text.trim();
  const counted = text.length - trimmed.length > maxMargin ? text : trimmed;
  return Buffer.byteLength(counted) / tokenizer.longestTokenBytes;
}

/** Folds white space and removes the characters that a tokenizer of words ignores, so that only words remain. */
export async function foldText(text: string): Promise<string> {
  let folded = '';
  for (let start = 0; start < text.length; start += sliceCharacters) {
    const slice = text.slice(start, start + sliceCharacters);
    folded += slice.replace(dropped, '').replace(whiteSpace, ' ');
    await setImmediate();
  }
  return folded;
}

async function countWords(text: string, longestTokenBytes: number, most: number): Promise<number> {
  const counter = new WordCounter(longestTokenBytes);
  for (let start = 0; start < text.length; start += sliceCharacters) {
    counter.add(text.slice(start, start + sliceCharacters), most);
    if (counter.tokens > most) break;
    await setImmediate();
  }
  return counter.tokens;
}

class WordCounter {
  readonly #longestTokenBytes: number;
  #words = 0;
  #wordBytes = 0;

  constructor(longestTokenBytes: number) {
    this.#longestTokenBytes = longestTokenBytes;
  }

  /** Tokens so far, with those of a word that has not ended. */
  get tokens(): number {
    return this.#words + this.#tokensOf(this.#wordBytes);
  }

  /** Reads a part of the text, until there are more tokens than `most`. */
  add(part: string, most: number): void {
    let wordBytes = this.#wordBytes;
    for (let index = 0; index < part.length && this.#words <= most; index += 1) {
      const code = part.charCodeAt(index);
      if (!isSpace(code)) {
        if (!isDropped(code)) wordBytes += utf8Bytes(code);
      } else if (wordBytes > 0) {
        this.#words += this.#tokensOf(wordBytes);
        wordBytes = 0;
      }
    }
    this.#wordBytes = wordBytes;
  }

  #tokensOf(wordBytes: number): number {
    return wordBytes > maxWordBytes ? wordBytes / this.#longestTokenBytes : Math.min(1, wordBytes);
  }
}

/** Each half of a surrogate pair counts two of its four bytes. */
function utf8Bytes(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
}

/** The characters of `whiteSpace`. */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0xa0 || code === 0x85;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** The characters of `dropped`. */
function isDropped(code: number): boolean {
  if (code < 0x20) return true;
  if (code < 0x7f) return false;
  if (code < 0x200b) return code <= 0x9f || code === 0xad;
  return (
    code <= 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0xfeff
  );
}
