import { readXml } from './read-xml.ts';
import type { ZipParts } from './zip-parts.ts';

export interface ListLevel {
  readonly listId: string;
  /** From 0. */
  readonly level: number;
}

/** Reads how the lists of a document are numbered: `bullet`, `decimal` or another word of the format. */
export async function readNumbering(
  parts: ZipParts,
  part: string | undefined,
): Promise<(place: ListLevel) => string> {
  /** By id of the definition and level. */
  const formats = new Map<string, string>();
  /** Definitions by id of the list. */
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

/** Numbers the items of lists; an item ends the numbers of the levels below it. */
export function createListNumbers(): (place: ListLevel) => number {
  const counts = new Map<string, number[]>();
  return ({ listId, level }) => {
    const levels = counts.get(listId) ?? [];
    counts.set(listId, levels);
    levels.length = Math.min(levels.length, level + 1);
    return (levels[level] = (levels[level] ?? 0) + 1);
  };
}
