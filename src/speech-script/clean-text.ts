import { withoutBracketed, withoutEmphasis, withoutParenthesized } from './annotations.ts';
import { cleanCharacters } from './characters.ts';
import { closeGaps } from './gap.ts';
import {
  decodeEntities,
  withoutHiddenMarkup,
  withoutMarkdownLinks,
  withoutTags,
} from './markup.ts';
import { withoutQuotationMarks } from './quotation-marks.ts';
import { withoutUrls } from './urls.ts';

/** Each pass takes linear time for any text. */
const passes: readonly ((text: string) => string)[] = [
  withoutHiddenMarkup,
  decodeEntities,
  cleanCharacters,
  collapseWhiteSpace,
  withoutTags,
  withoutQuotationMarks,
  withoutMarkdownLinks,
  withoutUrls,
  withoutBracketed,
  withoutParenthesized,
  withoutEmphasis,
  collapseWhiteSpace,
  closeGaps,
];

/** More rounds than any text needs, except one made to need more. */
const maxRounds = 4;
/** Words, spaces and plain punctuation, without anything that a pass removes. */
const needsCleaning = /[^\w ,.!?;'"-]|  |www\./i;

/**
 * Returns the text to be spoken, on one line: without emoji, tags, URLs, annotations, stage directions,
 * emphasis marks, quotation marks other than straight ones, invisible characters and excess white space. Cleaning
 * it again changes nothing.
 */
export function cleanText(text: string): string {
  if (!needsCleaning.test(text)) return text.trim();
  const { text: cleaned, isStable } = repeatPasses(text);
  return isStable ? cleaned : repeatPasses(defuse(cleaned)).text;
}

/** Repeats until nothing changes, since a removal may create a match for an earlier pass, as in `<<b>b>`. */
function repeatPasses(text: string): { readonly text: string; readonly isStable: boolean } {
  let last = text;
  for (let round = 0; round < maxRounds; round += 1) {
    const next = passes.reduce((rest, pass) => pass(rest), last);
    if (next === last) return { text: next, isStable: true };
    last = next;
  }
  return { text: last, isStable: false };
}

/** Removes all characters that begin a match, for texts with endless nesting. */
function defuse(text: string): string {
  return text.replace(/[<>[\]()（）*&]|:\/\/|www\./gi, ' ');
}

function collapseWhiteSpace(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, ' ');
}
