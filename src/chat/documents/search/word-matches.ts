/** Matches words. In scripts without spaces between words, each character counts as one. */
const wordPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+/gu;
const maxQueryWords = 256;
/** The usual parameters of BM25. */
const saturation = 1.2;
const lengthWeight = 0.75;

interface Match<Item> {
  readonly item: Item;
  /** Number of occurrences of each query word that the text contains, by the word's number. */
  readonly counts: ReadonlyMap<number, number>;
  readonly length: number;
}

/**
 * Ranks texts by the words that they share with queries: Okapi BM25 (Robertson and Zaragoza, "The Probabilistic
 * Relevance Framework", 2009), over all added texts.
 */
export class WordMatches<Item> {
  /** Words of the queries, with their numbers. */
  readonly #words: ReadonlyMap<string, number>;
  readonly #matches: Match<Item>[] = [];
  /** Number of texts that have a word, by the word's number. */
  readonly #textCounts: number[];
  #textCount = 0;
  #totalLength = 0;

  constructor(queries: readonly string[]) {
    const words = new Set(queries.flatMap((query) => [...wordsOf(query)]));
    this.#words = new Map([...words].slice(0, maxQueryWords).map((word, index) => [word, index]));
    this.#textCounts = Array.from(this.#words, () => 0);
  }

  /** @returns True if the text contains a word of the queries. */
  add(item: Item, text: string): boolean {
    const counts = new Map<number, number>();
    let length = 0;
    for (const word of wordsOf(text)) {
      length += 1;
      const number = this.#words.get(word);
      if (number !== undefined) counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    this.#textCount += 1;
    this.#totalLength += length;
    for (const number of counts.keys()) {
      this.#textCounts[number] = (this.#textCounts[number] ?? 0) + 1;
    }
    if (counts.size > 0) this.#matches.push({ item, counts, length });
    return counts.size > 0;
  }

  /**
   * The texts that contain a word of the queries, each with its share of the queries' words, in which rare words count
   * more. A text of average length that has each word once has the share 1; with repetitions the share is up to 2.2.
   */
  shares(): readonly { readonly item: Item; readonly share: number }[] {
    const meanLength = this.#totalLength / this.#textCount;
    const weights = this.#textCounts.map((count) =>
      Math.log(1 + (this.#textCount - count + 0.5) / (count + 0.5)),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const shareOf = ({ counts, length }: Match<Item>): number => {
      const norm = saturation * (1 - lengthWeight + (lengthWeight * length) / meanLength);
      let score = 0;
      for (const [number, count] of counts) {
        score += ((weights[number] ?? 0) * count * (saturation + 1)) / (count + norm);
      }
      return score / total;
    };
    return this.#matches.map((match) => ({ item: match.item, share: shareOf(match) }));
  }
}

function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.toLowerCase().matchAll(wordPattern)) yield word;
}
