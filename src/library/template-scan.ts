/** The parts of a Jinja template that are needed to derive capabilities. */
interface TemplateParts {
  /** The code inside tags, one tag per line, with empty string literals. */
  readonly code: string;
  /** Text and string literals after the last tag that mentions `add_generation_prompt`. */
  readonly generationPrompt: string;
}

const closings: Readonly<Record<string, string>> = { '{%': '%}', '{{': '}}', '{#': '#}' };
const openings = /\{[%{#]/g;

/** Splits a chat template into code and text in one pass. Ignores the rest after an unclosed tag. */
export function scanTemplate(template: string): TemplateParts {
  let code = '';
  let generationPrompt = '';
  let position = 0;
  while (position < template.length) {
    openings.lastIndex = position;
    const opening = openings.exec(template);
    generationPrompt += template.slice(position, opening?.index);
    const closing = closings[opening?.[0] ?? ''];
    if (opening === null || closing === undefined) break;
    const start = opening.index + 2;
    const tag = closing === '#}' ? skipComment(template, start) : scanTag(template, start, closing);
    if (tag === null) break;
    position = tag.end;
    if (tag.code === '') continue;
    code += `${tag.code.replaceAll(/\s+/g, ' ')}\n`;
    if (/\badd_generation_prompt\b/.test(tag.code)) generationPrompt = '';
    if (closing === '}}') generationPrompt += tag.literals;
  }
  return { code, generationPrompt };
}

interface Tag {
  readonly code: string;
  /** Contents of the tag's string literals, in order. */
  readonly literals: string;
  /** Position after the tag. */
  readonly end: number;
}

function skipComment(template: string, start: number): Tag | null {
  const end = template.indexOf('#}', start);
  return end === -1 ? null : { code: '', literals: '', end: end + 2 };
}

/** A closing mark inside a string literal does not close the tag. */
function scanTag(template: string, start: number, closing: string): Tag | null {
  let code = '';
  let literals = '';
  let position = start;
  while (position < template.length) {
    const character = template.charAt(position);
    if (template.startsWith(closing, position))
      return { code, literals, end: position + closing.length };
    if (character === '"' || character === "'") {
      const end = literalEnd(template, position);
      literals += template.slice(position + 1, end).replaceAll(String.raw`\n`, '\n');
      code += `''`;
      position = end + 1;
    } else {
      code += character;
      position += 1;
    }
  }
  return null;
}

function literalEnd(template: string, start: number): number {
  const quote = template.charAt(start);
  let position = start + 1;
  while (position < template.length && template.charAt(position) !== quote)
    position += template.charAt(position) === '\\' ? 2 : 1;
  return position;
}
