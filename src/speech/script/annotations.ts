import { gap } from './gap.ts';

const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Removes `[anything]`, including nested brackets; unpaired brackets stay. */
export function withoutBracketed(text: string): string {
  if (!text.includes('[')) return text;
  const open: number[] = [];
  const outermost: { readonly start: number; readonly end: number }[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === openBracket) open.push(index);
    if (code !== closeBracket) continue;
    const start = open.pop();
    if (start === undefined) continue;
    while ((outermost.at(-1)?.start ?? -1) > start) outermost.pop();
    outermost.push({ start, end: index + 1 });
  }
  let rest = '';
  let end = 0;
  for (const span of outermost) {
    rest += text.slice(end, span.start) + gap;
    end = span.end;
  }
  return rest + text.slice(end);
}

const parenthesized = /\(([^()]*)\)|（([^（）]*)）/g;
// oxlint-disable-next-line no-control-regex -- the gap mark
const emptied = /^ ?\0[ \0]*$/;

/** Removes `(sighs)`, `((sighs))`, and emptied parentheses, as left by `(https://example.com)`; `(about 3 km)` stays. */
export function withoutParenthesized(text: string): string {
  if (!/[(（]/.test(text)) return text;
  const rest = withoutInnermost(text);
  return rest === text ? text : withoutInnermost(rest);
}

function withoutInnermost(text: string): string {
  return text.replace(parenthesized, (found, ascii?: string, wide?: string) => {
    const content = ascii ?? wide ?? '';
    return isStageDirection(content) || emptied.test(content) ? gap : found;
  });
}

/** Text between asterisks that touch it. Asterisks between words, as in `2*3*4`, are not emphasis. */
const emphasized = /(?<![\p{L}\p{N}*])\*+(?=[^\s*])([^*]*[^*\s])\*+(?![\p{L}\p{N}*])/gu;
/** Unpaired bold marks, and lines of asterisks; `2**3` stays. */
const asterisks = /(?<![\p{L}\p{N}*])\*{2,}|\*{2,}(?![\p{L}\p{N}*])/gu;

/** Removes `*coughs*`. Of other emphasis, such as `*very*`, removes only the asterisks. */
export function withoutEmphasis(text: string): string {
  if (!text.includes('*')) return text;
  return text
    .replace(emphasized, (_, content: string) => (isSound(content) ? gap : content))
    .replace(asterisks, '');
}

import listed from './stage-directions.json' with { type: 'json' };

const sounds = new Set(listed.sounds);
const directions = new Set(listed.directions);
const phrases = new Set(listed.phrases);
const companions = new Set(listed.companions);

/** Longer than any stage direction. Bounds the text that is split into words. */
const maxLength = 80;
/** A stage direction contains only these characters, so a digit, for example, rules it out. */
const words = /^[\p{L}\p{M}\s,.;!…'&-]+$/u;

/**
 * True if a text in parentheses is a stage direction: a listed phrase, or listed words with at least one sound or
 * direction among them.
 */
function isStageDirection(content: string): boolean {
  return isMadeOf(content, (word) => sounds.has(word) || directions.has(word));
}

/**
 * True if a text between asterisks is a sound or an action. Adverbs such as `softly` do not count, since they may be
 * emphasis there.
 */
function isSound(content: string): boolean {
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
