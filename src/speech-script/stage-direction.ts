import listed from './stage-directions.json' with { type: 'json' };

const sounds = new Set(listed.sounds);
const directions = new Set(listed.directions);
const phrases = new Set(listed.phrases);
const companions = new Set(listed.companions);

/** Longer than any stage direction, so that long texts are not split. */
const maxLength = 80;
/** Any other character, such as a digit, rules out a stage direction. */
const words = /^[\p{L}\p{M}\s,.;!…'&-]+$/u;

/** Whether a text in parentheses is a stage direction: all its words are listed, one of them not as companion. */
export function isStageDirection(content: string): boolean {
  return isMadeOf(content, (word) => sounds.has(word) || directions.has(word));
}

/** Whether a text between asterisks is a sound or an action; a word such as `softly` may be emphasis there. */
export function isSound(content: string): boolean {
  return isMadeOf(content, (word) => sounds.has(word));
}

function isMadeOf(content: string, isMain: (word: string) => boolean): boolean {
  if (content.length > maxLength || !words.test(content)) return false;
  const found = content.toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? [];
  if (phrases.has(found.join(' '))) return true;
  return (
    found.some(isMain) &&
    found.every((word) => sounds.has(word) || directions.has(word) || companions.has(word))
  );
}
