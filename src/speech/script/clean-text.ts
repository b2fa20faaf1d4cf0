import { withoutBracketed, withoutEmphasis, withoutParenthesized } from './annotations.ts';
import { closeGaps, gap } from './gap.ts';
import {
  decodeEntities,
  withoutHiddenMarkup,
  withoutMarkdownLinks,
  withoutTags,
} from './markup.ts';

/** Each pass must take linear time for any text. */
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

/** Enough for any text that is not made to need more. */
const maxRounds = 4;
/** Matches text that may need cleaning: more than words, single spaces and plain punctuation. */
const needsCleaning = /[^\w ,.!?;'"-]|  |www\./i;

/**
 * Returns the text to be spoken, on one line: without emoji, tags, URLs, annotations, stage directions, emphasis marks,
 * quotation marks other than straight ones, invisible characters and excess white space. Cleaning the result again
 * changes nothing.
 */
export function cleanText(text: string): string {
  if (!needsCleaning.test(text)) return text.trim();
  const { text: cleaned, isStable } = repeatPasses(text);
  return isStable ? cleaned : repeatPasses(defuse(cleaned)).text;
}

/** Repeats the passes until nothing changes, since a removal may create a match for an earlier pass, as in `<<b>b>`. */
function repeatPasses(text: string): { readonly text: string; readonly isStable: boolean } {
  let last = text;
  for (let round = 0; round < maxRounds; round += 1) {
    const next = passes.reduce((rest, pass) => pass(rest), last);
    if (next === last) return { text: next, isStable: true };
    last = next;
  }
  return { text: last, isStable: false };
}

/** Removes all characters that begin a match. Used for texts whose nesting exceeds the rounds. */
function defuse(text: string): string {
  return text.replace(/[<>[\]()（）*&]|:\/\/|www\./gi, ' ');
}

function collapseWhiteSpace(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, ' ');
}

// oxlint-disable-next-line no-control-regex -- removes control characters
const controls = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/**
 * Matches emoji by their parts (Unicode Technical Standard 51), so that sequences of any length and of later versions
 * match: keycaps; anything in emoji style; pictographs except the ones that are usually text (©, ™, ℹ, ‼, arrows and
 * the like); halves of flags; skin tones; lone keycap signs.
 */
const emoji =
  /[0-9#*]\ufe0f?\u20e3|(?![0-9#*])\p{Emoji}\ufe0f|(?![©®‼⁉™ℹⓂ〰〽㊗㊙\u2190-\u21ff\u2934\u2935\u2b05-\u2b07])\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\u20e3/gu;

/** Invisible characters, except for joiners between letters, which some scripts need for spelling. */
const invisible =
  /(?!(?<=[\p{L}\p{M}])[\u200c\u200d][\p{L}\p{M}])\p{Default_Ignorable_Code_Point}/gu;

const notAscii = /[^\0-\u007f]/;

/** Removes emoji, invisible and control characters. */
function cleanCharacters(text: string): string {
  const printable = text.replace(controls, '');
  if (!notAscii.test(printable)) return printable;
  return printable.replace(emoji, gap).replace(invisible, '');
}

const cjkMarks = /[「-』《》〈〉【】〔〕〖〗〘〙〚〛〝-〟﹁-﹄﹙-﹞｢｣\u2329\u232a]/g;
/** Double quotation marks: curly, low, full-width, and guillemets. They may have spaces inside. */
const doubleMarks = /[“”„‟＂«»‹›]/g;
/**
 * A letter or digit of a script that separates words with spaces. Chinese is excluded, since it has ‘ and ’ as
 * quotation marks between letters.
 */
const wordCharacter = String.raw`(?![\u2e80-\u{10ffff}])[\p{L}\p{M}\p{N}]`;
/** A curly apostrophe inside a word; Markdown asterisks around a part of the word are ignored. */
const apostrophe = new RegExp(
  String.raw`(?<=${wordCharacter}\**)[‘’‛＇](?=\**${wordCharacter})`,
  'gu',
);
const singleMarks = /[‘’‚‛＇]/g;

const anyMark = /[‘-‟«»‹›「-』《》〈〉【】〔〕〖-〛〝-〟﹁-﹄﹙-﹞＂＇｢｣\u2329\u232a]/;

/** Removes quotation marks except straight ones; a curly apostrophe inside a word becomes a straight one. */
function withoutQuotationMarks(text: string): string {
  if (!anyMark.test(text)) return text;
  return text
    .replace(cjkMarks, '')
    .replace(doubleMarks, gap)
    .replace(apostrophe, "'")
    .replace(singleMarks, gap);
}

/** A URL ends at a space, quote, angle bracket, or a character of a script without spaces. */
const url =
  // oxlint-disable-next-line no-control-regex -- the gap mark ends a URL
  /(?:https?:\/\/|ftp:\/\/|(?<!\w)www\.(?=[a-z0-9]))[^\s\0<>"`\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]*/gi;
const mayHaveUrl = /:\/\/|www\./i;
/** Characters at the end of a URL that belong to the sentence around it. */
const trailing = new Set(".,;:!?'*_~]}…");

/** Removes `http`, `https`, `ftp` and `www.` addresses, but keeps the punctuation that ends their sentence. */
function withoutUrls(text: string): string {
  if (!mayHaveUrl.test(text)) return text;
  return text.replace(url, (found) => gap + found.slice(urlLength(found)));
}

/**
 * Length of the URL in a match. A closing bracket belongs to the URL if the URL contains its opening bracket:
 * `…/Foo_(film)`.
 */
function urlLength(found: string): number {
  const schemeEnd = found.indexOf('://') + 3;
  const minimum = schemeEnd === 2 ? 'www.x'.length : schemeEnd;
  let unopened = 0;
  for (const character of found) {
    if (character === ')') unopened += 1;
    else if (character === '(') unopened -= 1;
  }
  let length = found.length;
  while (length > minimum) {
    const last = found[length - 1] ?? '';
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!trailing.has(last)) break;
    length -= 1;
  }
  return length;
}
