import { readXml } from './read-xml.ts';
import type { ZipParts } from './zip-parts.ts';

export interface ListLevel {
  readonly listId: string;
  /** Nesting level, from 0. */
  readonly level: number;
}

/** Reads the numbering formats of a document's lists, such as `bullet` or `decimal`. */
export async function readNumbering(
  parts: ZipParts,
  part: string | undefined,
): Promise<(place: ListLevel) => string> {
  /** Numbering formats by definition id and level. */
  const formats = new Map<string, string>();
  /** Definition ids by list id. */
  const definitions = new Map<string, string>();
  let definition = '';
  let list = '';
  let level = '0';
  await readXml(part === undefined ? [] : parts.read(part), {
    open: (name, { abstractNumId = '', numId = '', ilvl = '0', val = '' }) => {
      if (name === 'abstractNum') definition = abstractNumId;
      else if (name === 'lvl') level = ilvl;
      else if (name === 'numFmt') formats.set(`${definition} ${level}`, val);
      else if (name === 'num') list = numId;
      else if (name === 'abstractNumId') definitions.set(list, val);
    },
  });
  return ({ listId, level: at }) => formats.get(`${definitions.get(listId)} ${at}`) ?? 'bullet';
}

/** Returns a function that numbers list items. An item restarts the numbers of deeper levels. */
export function createListNumbers(): (place: ListLevel) => number {
  const counts = new Map<string, number[]>();
  return ({ listId, level }) => {
    const levels = counts.get(listId) ?? [];
    counts.set(listId, levels);
    levels.length = Math.min(levels.length, level + 1);
    return (levels[level] = (levels[level] ?? 0) + 1);
  };
}
