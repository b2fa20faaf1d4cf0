import * as z from 'zod';
import type { RawTurn } from './raw-turn.ts';
import { splitLines } from './split-lines.ts';

/** The range of the number is checked together with that of labels. Other fields are ignored. */
const itemSchema = z.object({ speaker: z.int(), text: z.string() });

const noArray = 'The text starts like a JSON array';
const readAsText = 'so it is read as plain text.';

/**
 * Parses a text that is a JSON array of `{speaker, text}` objects; returns a warning if it looks like one but
 * isn't, undefined for any other text. `[sighs] Well.` is not an array.
 */
export function readJsonTurns(
  text: string,
): { readonly turns: readonly RawTurn[] } | { readonly warning: string } | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[')) return undefined;
  const items = parse(trimmed);
  if (items === undefined) {
    if (!/^\[\s*[{["]/.test(trimmed)) return undefined;
    return { warning: `${noArray} but is not valid JSON, ${readAsText}` };
  }
  const turns: RawTurn[] = [];
  for (const [index, item] of items.entries()) {
    const result = itemSchema.safeParse(item);
    if (!result.success) {
      return {
        warning: `${noArray}, but its item ${index + 1} is not an object with a whole number "speaker" and a string "text", ${readAsText}`,
      };
    }
    const { speaker, text: words } = result.data;
    // JSON can contain lone surrogates, which a script can't.
    const lines = splitLines(words.toWellFormed());
    turns.push({ speaker, lines, place: `item ${index + 1}` });
  }
  return { turns };
}

function parse(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
