import { withoutBracketed, withoutEmphasis, withoutParenthesized } from './annotations.ts';
import { cleanCharacters } from './characters.ts';
import { closeGaps } from './gap.ts';
import {
  decodeEntities,
  withoutHiddenMarkup,
  withoutMarkdownLinks,
  withoutTags,
} from './markup.ts';
import { withoutUrls } from './urls.ts';

/** Each takes time in proportion to the text, whatever it holds. */
const passes: readonly ((text: string) => string)[] = [
  withoutHiddenMarkup,
  decodeEntities,
  cleanCharacters,
  collapseWhiteSpace,
  withoutTags,
  withoutMarkdownLinks,
  withoutUrls,
  withoutBracketed,
  withoutParenthesized,
  withoutEmphasis,
  collapseWhiteSpace,
  closeGaps,
];

/** More rounds than any text needs that was not made to need more. */
const maxRounds = 4;
/** Words, spaces and plain punctuation, with nothing in it that a pass looks for. */
const needsCleaning = /[^\w ,.!?;'"-]|  |www\./i;

/**
 * The text as it is to be spoken, on one line: without emoji, tags, URLs, annotations, stage directions,
 * emphasis marks, invisible characters and excess white space; smart quotes straight. Cleaning it again
 * changes nothing.
 */
export function cleanText(text: string): string {
  if (!needsCleaning.test(text)) return text.trim();
  const { text: cleaned, isStable } = repeatPasses(text);
  return isStable ? cleaned : repeatPasses(defuse(cleaned)).text;
}

/** What a pass takes out may leave something for an earlier one, as in `<<b>b>`; so until nothing changes. */
function repeatPasses(text: string): { readonly text: string; readonly isStable: boolean } {
  let last = text;
  for (let round = 0; round < maxRounds; round += 1) {
    const next = passes.reduce((rest, pass) => pass(rest), last);
    if (next === last) return { text: next, isStable: true };
    last = next;
  }
  return { text: last, isStable: false };
}

/** Without the characters that anything to take out begins with, for texts that were nested to be endless. */
function defuse(text: string): string {
  return text.replace(/[<>[\]()（）*&]|:\/\/|www\./gi, ' ');
}

function collapseWhiteSpace(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, ' ');
}
