import { readXml } from './read-xml.ts';
import type { ZipParts } from './zip-parts.ts';

/** Role of a paragraph, from its own properties or its style. */
export interface WordStyle {
  /** Heading level, from 1. */
  readonly headingLevel?: number;
  /** Id of the list that contains it. */
  readonly listId?: string;
  /** Nesting level in the list, from 0. */
  readonly listLevel?: number;
}

interface DeclaredStyle extends WordStyle {
  readonly basedOn?: string;
}

/**
 * Reads the paragraph styles by id, with inherited properties. Headings are found by their names, which are English;
 * ids are in the program's language.
 */
export async function readWordStyles(
  parts: ZipParts,
  part: string | undefined,
): Promise<ReadonlyMap<string, WordStyle>> {
  const declared = new Map<string, DeclaredStyle>();
  let id: string | undefined;
  const add = (properties: DeclaredStyle) => {
    if (id !== undefined) declared.set(id, { ...declared.get(id), ...properties });
  };
  await readXml(part === undefined ? [] : parts.read(part), {
    open: (name, { styleId, val = '' }) => {
      if (name === 'style') id = styleId;
      else if (name === 'basedOn') add({ basedOn: val });
      else if (name === 'name') add(namedStyle(val));
      else if (name === 'outlineLvl' && Number(val) < 9) add({ headingLevel: Number(val) + 1 });
      else if (name === 'numId') add({ listId: val });
      else if (name === 'ilvl') add({ listLevel: toListLevel(val) });
    },
  });
  const inherit = (style: DeclaredStyle, depth = 0): WordStyle => {
    const base = depth < 10 ? declared.get(style.basedOn ?? '') : undefined;
    return base === undefined ? style : { ...inherit(base, depth + 1), ...style };
  };
  return new Map([...declared].map(([styleId, style]) => [styleId, inherit(style)]));
}

/** Limits a list level to Word's nine levels. */
export function toListLevel(value: string): number {
  return Math.min(8, Math.max(0, Math.trunc(Number(value)) || 0));
}

function namedStyle(name: string): WordStyle {
  if (/^title$/i.test(name)) return { headingLevel: 1 };
  const level = /^heading (\d)$/i.exec(name)?.[1];
  return level === undefined ? {} : { headingLevel: Number(level) };
}
