import { gap } from './gap.ts';

const cjkMarks = /[「-』《》〈〉【】〔〕〖〗〘〙〚〛〝-〟﹁-﹄﹙-﹞｢｣\u2329\u232a]/g;
/** Double marks: curly, low, full-width, and guillemets. They may have spaces inside. */
const doubleMarks = /[“”„‟＂«»‹›]/g;
/** A letter or digit of a script with spaces between words: Chinese has ‘ and ’ between letters, as quotation marks. */
const wordCharacter = String.raw`(?![\u2e80-\u{10ffff}])[\p{L}\p{M}\p{N}]`;
/** A curly apostrophe inside a word; asterisks of Markdown around a part of the word don't count. */
const apostrophe = new RegExp(
  String.raw`(?<=${wordCharacter}\**)[‘’‛＇](?=\**${wordCharacter})`,
  'gu',
);
const singleMarks = /[‘’‚‛＇]/g;

const anyMark = /[‘-‟«»‹›「-』《》〈〉【】〔〕〖-〛〝-〟﹁-﹄﹙-﹞＂＇｢｣\u2329\u232a]/;

/** Removes quotation marks except straight ones; a curly apostrophe inside a word becomes a straight one. */
export function withoutQuotationMarks(text: string): string {
  if (!anyMark.test(text)) return text;
  return text
    .replace(cjkMarks, '')
    .replace(doubleMarks, gap)
    .replace(apostrophe, "'")
    .replace(singleMarks, gap);
}
