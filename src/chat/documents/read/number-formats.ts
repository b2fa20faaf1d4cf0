import { readXml } from './read-xml.ts';
import type { ZipParts } from './zip-parts.ts';

/** Built-in formats (ISO/IEC 29500-1, 18.8.30) that show a date or a time; files contain only their numbers. */
const dateFormats = new Set([
  14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47,
  // Formats of East Asian languages.
  27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58,
]);

/** Finds out for each cell format, by position, whether it shows a date or a time. */
export async function readDateFormats(
  parts: ZipParts,
  part: string | undefined,
): Promise<readonly boolean[]> {
  const codes = new Map<number, string>();
  const formats: boolean[] = [];
  let isInCells = false;
  await readXml(part === undefined ? [] : parts.read(part), {
    open: (name, { numFmtId = '', formatCode = '' }) => {
      const id = Number(numFmtId);
      if (name === 'numFmt') codes.set(id, formatCode);
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) formats.push(isDateFormat(id, codes.get(id)));
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return formats;
}

function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return dateFormats.has(id);
  // Removes quoted text, colors and conditions; keeps `[h]`, which shows hours.
  const [shown = ''] = code.replaceAll(/"[^"]*"|\\.|_.|\[(?!h|m|s)[^\]]*\]/gi, '').split(';');
  return /[dmyhs]/i.test(shown) && !/general/i.test(shown);
}

const dayMs = 86_400_000;

/** Formats a sheet's day number as a date, a time, or both. Days count from 1900, or from 1904 in some files of Macs. */
export function formatDay(day: number, isFrom1904: boolean): string {
  const epoch = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const date = new Date(epoch + Math.round(day * 86_400) * 1000);
  if (day < 0 || Number.isNaN(date.valueOf()) || date.getUTCFullYear() > 9999) return String(day);
  const [on = '', at = ''] = date.toISOString().split('T');
  const time = at.slice(0, 8).replace(/:00$/, '');
  if (day < 1) return time;
  return (date.valueOf() - epoch) % dayMs === 0 ? on : `${on} ${time}`;
}

/** Formats a number with 15 digits, as sheets show it. */
export function formatNumber(value: string): string {
  const number = Number(value);
  return value.trim() === '' || !Number.isFinite(number)
    ? value
    : String(Number(number.toPrecision(15)));
}
