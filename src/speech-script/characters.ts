import { gap } from './gap.ts';

// oxlint-disable-next-line no-control-regex -- removes control characters
const controls = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/**
 * Emoji by their parts (Unicode Technical Standard 51), so that sequences of any length match, including those of later
 * versions: keycaps; anything in emoji style; pictographs but for those that are usually text (©, ™, ℹ,
 * ‼, arrows and the like); halves of flags; skin tones; lone keycap signs.
 */
const emoji =
  /[0-9#*]\ufe0f?\u20e3|(?![0-9#*])\p{Emoji}\ufe0f|(?![©®‼⁉™ℹⓂ〰〽㊗㊙\u2190-\u21ff\u2934\u2935\u2b05-\u2b07])\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\u20e3/gu;

/** Invisible characters, except joiners between letters, which are part of the spelling in some scripts. */
const invisible =
  /(?!(?<=[\p{L}\p{M}])[\u200c\u200d][\p{L}\p{M}])\p{Default_Ignorable_Code_Point}/gu;

const notAscii = /[^\0-\u007f]/;

/** Removes emoji, invisible and control characters. */
export function cleanCharacters(text: string): string {
  const printable = text.replace(controls, '');
  if (!notAscii.test(printable)) return printable;
  return printable.replace(emoji, gap).replace(invisible, '');
}
