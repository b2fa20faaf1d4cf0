import { texts } from '../../../texts/texts.ts';
import type { TextDocument } from './document.ts';

/** A part of a document that is embedded and cited as a whole. */
export interface Passage {
  /** Name of the file and its page or lines. */
  readonly source: string;
  readonly text: string;
}

/** Maximum weight of a passage: embedding models read a few hundred tokens. */
const maxWeight = 1000;

/**
 * Splits documents at line ends into passages of about 1,000 characters, fewer in scripts with more tokens per
 * character.
 */
export function splitPassages(documents: readonly TextDocument[]): readonly Passage[] {
  return documents.flatMap(({ name, sections }) =>
    sections.flatMap(({ text, place }) =>
      pieces(text).map(({ piece, firstLine, lastLine }) => ({
        // `fileNameOf` reads the name from this text.
        source: `${name}, ${place ?? texts.documents.lines({ first: firstLine, last: lastLine })}`,
        text: piece,
      })),
    ),
  );
}

interface Piece {
  readonly piece: string;
  /** Line number, from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

function pieces(text: string): readonly Piece[] {
  const found: Piece[] = [];
  let lines: string[] = [];
  let weight = 0;
  let firstLine = 1;
  const end = (lastLine: number) => {
    const piece = lines.join('\n').trim();
    if (piece !== '') found.push({ piece, firstLine, lastLine });
    lines = [];
    weight = 0;
  };
  for (const [index, line] of text.split('\n').entries()) {
    for (const part of shortLines(line)) {
      const added = weightOf(part);
      if (weight > 0 && weight + added > maxWeight) {
        end(index);
        firstLine = index + 1;
      }
      if (weight === 0) firstLine = index + 1;
      lines.push(part);
      weight += added + 1;
    }
  }
  end(text.split('\n').length);
  return found;
}

/** Splits a line that is longer than a passage, at a space if there is one. */
function shortLines(line: string): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  while (weightOf(rest) > maxWeight) {
    let length = Math.min(rest.length, maxWeight);
    while (weightOf(rest.slice(0, length)) > maxWeight) length = Math.floor(length / 2);
    const space = rest.lastIndexOf(' ', length);
    const cut = space > length / 2 ? space + 1 : length;
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}

/** Number of characters; the ones beyond Latin count three times, since each is about a token. */
function weightOf(text: string): number {
  return text.length + 2 * (text.match(/[\u0250-\u{10FFFF}]/gu)?.length ?? 0);
}
