import { setImmediate } from 'node:timers/promises';
import type { Prompt } from '../engine.ts';
import type { TokenizerFacts } from '../../library/tokenizer-facts.ts';

/** White space around a text does not count up to this length, since chat templates trim messages. */
const maxMargin = 1024 * 1024;
/** The event loop can do other work after each slice. */
const sliceCharacters = 256 * 1024;
/** A word of up to this length may be a single unknown token. The tokens of longer words are computed from their bytes. */
const maxWordBytes = 1024;

/** Control and format characters, which word tokenizers drop. */
const dropped = /(?![\t-\r\u0085])[\p{Cc}\p{Cf}]/gu;
const whiteSpace = /[\s\x85]+/g;

/**
 * Returns a lower bound of the tokens of a prompt. Counting 20 million words takes about two seconds, during which
 * other work continues. Stops counting soon after `most` tokens.
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

/** Collapses white space and removes the characters that a word tokenizer ignores, so that only words remain. */
export async function foldText(text: string): Promise<string> {
  let folded = '';
  for (const slice of slicesOf(text)) {
    folded += slice.replace(whiteSpace, ' ');
    await setImmediate();
  }
  return folded;
}

async function countWords(text: string, longestTokenBytes: number, most: number): Promise<number> {
  const tokensOf = (wordBytes: number): number =>
    wordBytes > maxWordBytes ? wordBytes / longestTokenBytes : Math.min(1, wordBytes);
  let endedTokens = 0;
  // A word may continue in the next slice.
  let wordBytes = 0;
  for (const slice of slicesOf(text)) {
    const [rest = '', ...words] = slice.split(whiteSpace);
    wordBytes += Buffer.byteLength(rest);
    for (const word of words) {
      endedTokens += tokensOf(wordBytes);
      wordBytes = Buffer.byteLength(word);
    }
    if (endedTokens + tokensOf(wordBytes) > most) break;
    await setImmediate();
  }
  return endedTokens + tokensOf(wordBytes);
}

/** Divides a text without splitting surrogate pairs, and removes the characters that a word tokenizer ignores. */
function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const last = start + sliceCharacters - 1;
    const end = (text.codePointAt(last) ?? 0) > 0xffff ? last : last + 1;
    yield text.slice(start, end).replace(dropped, '');
    start = end;
  }
}
