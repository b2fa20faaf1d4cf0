import * as z from 'zod';
import { maxSpeakers } from './schema.ts';
import { splitLines, type RawTurn } from './raw-turn.ts';

/** The range of the number is checked later, together with labels. Other fields are ignored. */
const itemSchema = z.object({
  speaker: z.union([z.int(), z.string().trim().min(1)]),
  text: z.string(),
});
/** A number as a text, alone or after `speaker`. */
const numeral = /^(?:speaker\s*)?(\d+)$/i;

const noArray = 'The text starts like a JSON array';
const readAsText = 'so it is read as plain text.';

interface JsonTurns {
  readonly turns: readonly RawTurn[];
  /** Speaker numbers by name, in order of appearance. */
  readonly speakersByName: ReadonlyMap<string, number>;
}

/**
 * Parses a text that is a JSON array of `{speaker, text}` objects. Returns a warning if the text only looks like one,
 * and undefined for any other text, such as `[sighs] Well.` In order of appearance, each name gets the lowest number
 * that no other speaker has; names beyond the last speaker get a number out of range.
 */
export function readJsonTurns(text: string): JsonTurns | { readonly warning: string } | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[')) return undefined;
  const values = parse(trimmed);
  if (values === undefined) {
    if (!/^\[\s*[{["]/.test(trimmed)) return undefined;
    return { warning: `${noArray} but is not valid JSON, ${readAsText}` };
  }
  const items: { readonly speaker: number | string; readonly text: string }[] = [];
  for (const [index, value] of values.entries()) {
    const result = itemSchema.safeParse(value);
    if (!result.success) {
      return {
        warning: `${noArray}, but its item ${index + 1} is not an object with a "speaker" (a whole number or a name) and a string "text", ${readAsText}`,
      };
    }
    const { speaker, text: words } = result.data;
    items.push({ speaker: toNumber(speaker), text: words });
  }
  const speakersByName = assignSpeakers(items.map(({ speaker }) => speaker));
  const turns = items.map(({ speaker, text: words }, index) => ({
    ...(typeof speaker === 'number'
      ? { speaker }
      : { speaker: speakersByName.get(speaker) ?? 0, name: speaker }),
    // JSON can contain lone surrogates, which are not allowed in a script.
    lines: splitLines(words.toWellFormed()),
    place: `item ${index + 1}`,
  }));
  return { turns, speakersByName };
}

function toNumber(speaker: number | string): number | string {
  if (typeof speaker === 'number') return speaker;
  const digits = numeral.exec(speaker)?.[1];
  return digits === undefined ? speaker.toWellFormed() : Number(digits);
}

function assignSpeakers(speakers: readonly (number | string)[]): ReadonlyMap<string, number> {
  const numbers = new Set(speakers.filter((speaker) => typeof speaker === 'number'));
  const assigned = new Map<string, number>();
  let next = 1;
  for (const speaker of speakers) {
    if (typeof speaker === 'number' || assigned.has(speaker)) continue;
    while (numbers.has(next) && next <= maxSpeakers) next += 1;
    assigned.set(speaker, next);
    next = Math.min(next, maxSpeakers) + 1;
  }
  return assigned;
}

function parse(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
