import { readXml } from './read-xml.ts';
import type { ZipParts } from './zip-parts.ts';

/** Place of a paragraph in its document, according to it or its style. */
export interface WordStyle {
  /** From 1. */
  readonly headingLevel?: number;
  /** Id of its list. */
  readonly listId?: string;
  /** From 0. */
  readonly listLevel?: number;
}

interface DeclaredStyle extends WordStyle {
  readonly basedOn?: string;
}

/**
 * Styles of paragraphs by id, with inherited properties. Ids are in the language of the program,
 * names in English.
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

/** Word has nine levels. */
export function toListLevel(value: string): number {
  return Math.min(8, Math.max(0, Math.trunc(Number(value)) || 0));
}

function namedStyle(name: string): WordStyle {
  if (/^title$/i.test(name)) return { headingLevel: 1 };
  const level = /^heading (\d)$/i.exec(name)?.[1];
  return level === undefined ? {} : { headingLevel: Number(level) };
}
