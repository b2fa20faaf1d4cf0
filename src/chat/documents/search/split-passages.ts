import type { Chunking } from '../../../store/vector-stores/vector-store.ts';

/** Approximate number of letters of an English word per token. */
const lettersPerToken = 5;

/**
 * Estimates the tokens of a text. Embedding models have vocabularies of English words and their parts; most other
 * characters take a token each.
 */
export function estimateTokens(text: string): number {
  let count = 0;
  for (const [word] of text.matchAll(/\p{Script=Latin}+|[^\s]/gu)) {
    count += Math.ceil(word.length / lettersPerToken);
  }
  return count;
}

interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/**
 * Splits a text into passages that begin and end at a sentence or line if possible. A passage repeats the last
 * sentences of the previous one.
 */
export function* splitPassages(
  text: string,
  { maxTokens, overlapTokens }: Chunking,
): Generator<string, void> {
  let current: Piece[] = [];
  let tokens = 0;
  let hasNew = false;
  const dropUntil = (fits: () => boolean): void => {
    let count = 0;
    for (; count < current.length && !fits(); count += 1) tokens -= current[count]?.tokens ?? 0;
    current = current.slice(count);
  };
  for (const piece of piecesOf(text.toWellFormed(), maxTokens)) {
    const fits = (): boolean => tokens + piece.tokens <= maxTokens;
    if (hasNew && !fits()) {
      yield* joined(current);
      dropUntil(() => tokens <= overlapTokens);
      hasNew = false;
    }
    dropUntil(fits);
    current.push(piece);
    tokens += piece.tokens;
    hasNew = true;
  }
  if (hasNew) yield* joined(current);
}

function joined(pieces: readonly Piece[]): readonly string[] {
  const passage = pieces
    .map(({ text }) => text)
    .join('')
    .trim();
  return passage === '' ? [] : [passage];
}

/** Sentences and lines of a text; longer ones are split to the length of a passage. */
function* piecesOf(text: string, maxTokens: number): Generator<Piece> {
  for (const [sentence] of text.matchAll(
    /[^\n.!?。！？]*(?:[.!?。！？]+(?:\s+|$)|[.!?。！？]|\n\s*|$)/gu,
  )) {
    if (sentence === '') continue;
    const tokens = estimateTokens(sentence);
    if (tokens <= maxTokens) yield { text: sentence, tokens };
    else yield* parts(sentence, maxTokens);
  }
}

/** Splits a long sentence into words, and long words into parts. */
function* parts(sentence: string, maxTokens: number): Generator<Piece> {
  let [text, tokens] = ['', 0];
  for (const [word] of sentence.matchAll(/\p{Script=Latin}{1,40}\s*|\S\s*|\s+/gu)) {
    const wordTokens = estimateTokens(word);
    if (text !== '' && tokens + wordTokens > maxTokens / 4) {
      yield { text, tokens };
      [text, tokens] = ['', 0];
    }
    text += word;
    tokens += wordTokens;
  }
  if (text !== '') yield { text, tokens };
}
