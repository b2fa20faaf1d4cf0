import { splitLines, type RawTurn } from './raw-turn.ts';

const shortestLabel = 'Speaker1:'.length;
const plainLabel = /^\s*speaker\s*(\d+)\s*:/i;
const tag = String.raw`<\/?[a-z][^<>]*>`;
/** A label in bold, as in `**Speaker 1:** Hello` and `<b>Speaker 1:</b> Hello`; the formatting may continue in the text. */
const decoratedLabel = new RegExp(
  String.raw`^((?:[\s*\u200b\u2060]|${tag})*)speaker\s*(\d+)((?:[\s*]|${tag})*):`,
  'i',
);

/**
 * Splits a text at the lines that start with `Speaker N:`. Other lines belong to the previous speaker; lines at the
 * start belong to Speaker 1.
 *
 * @param isDecorated True if the label may be in bold, with asterisks or tags.
 */
export function splitLabels(
  text: string,
  { isDecorated }: { readonly isDecorated: boolean },
): { readonly rawTurns: readonly RawTurn[]; readonly isLabelled: boolean } {
  const rawTurns: (RawTurn & { readonly lines: string[] })[] = [];
  let isLabelled = false;
  for (const [index, line] of splitLines(text).entries()) {
    const label = readLabel(line, isDecorated);
    const last = rawTurns.at(-1);
    if (label !== undefined) {
      isLabelled = true;
      rawTurns.push({
        speaker: label.speaker,
        lines: [label.rest],
        place: `line ${index + 1}`,
      });
    } else if (last !== undefined) {
      last.lines.push(line);
    } else {
      rawTurns.push({ speaker: 1, lines: [line], place: `line ${index + 1}` });
    }
  }
  return { rawTurns, isLabelled };
}

function readLabel(line: string, isDecorated: boolean) {
  if (line.length < shortestLabel) return undefined;
  if (!isDecorated) {
    const [label = '', digits] = plainLabel.exec(line) ?? [];
    if (digits === undefined) return undefined;
    return { speaker: Number(digits), rest: line.slice(label.length) };
  }
  const [label = '', before, digits, between] = decoratedLabel.exec(line) ?? [];
  if (digits === undefined) return undefined;
  return { speaker: Number(digits), rest: `${before}${between}${line.slice(label.length)}` };
}
