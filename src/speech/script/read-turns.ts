import { HearthError } from '../../kernel/errors/errors.ts';
import { maxSpeakers } from './schema.ts';
import type { SpeechTurn } from './speech-script.ts';
import { cleanText } from './clean-text.ts';
import { readJsonTurns } from './json-turns.ts';
import { splitLabels } from './labels.ts';
import { withoutHiddenMarkup } from './markup.ts';
import type { ResolvedOptions } from './options.ts';
import type { RawTurn } from './raw-turn.ts';

interface Reading {
  readonly mode: 'single' | 'multi';
  readonly turns: SpeechTurn[];
  readonly warnings: readonly string[];
}

/**
 * Returns the turns of the text that contain words.
 *
 * @throws HearthError `invalid_value` for a speaker out of range, unless one speaker says all of the text.
 */
export function readTurns(options: ResolvedOptions): Reading {
  const { rawTurns, isLabelled, warnings, speakersByName } = findTurns(options);
  const mode = options.mode === 'auto' ? (isLabelled ? 'multi' : 'single') : options.mode;
  if (mode === 'single') {
    const lines = rawTurns.flatMap((turn) => turn.lines);
    return { mode, turns: toTurns([{ speaker: 1, lines, place: '' }], options), warnings };
  }
  for (const turn of rawTurns) assertInRange(turn);
  const unlabelled = 'No line starts with "Speaker N:", so all is of Speaker 1.';
  return {
    mode,
    turns: toTurns(rawTurns, options),
    warnings: [
      ...warnings,
      ...(isLabelled ? [] : [unlabelled]),
      ...(speakersByName.size > 0 ? [describeNames(speakersByName)] : []),
    ],
  };
}

interface Found {
  readonly rawTurns: readonly RawTurn[];
  readonly isLabelled: boolean;
  readonly warnings: readonly string[];
  readonly speakersByName: ReadonlyMap<string, number>;
}

function findTurns({ text, clean }: ResolvedOptions): Found {
  const fromJson = readJsonTurns(text);
  if (fromJson !== undefined && 'turns' in fromJson) {
    const { turns, speakersByName } = fromJson;
    return { rawTurns: turns, isLabelled: true, warnings: [], speakersByName };
  }
  const warnings = fromJson === undefined ? [] : [fromJson.warning];
  // Removes markup that spans lines before splitting the text into lines.
  const visible = clean ? withoutHiddenMarkup(text) : text;
  return {
    ...splitLabels(visible, { isDecorated: clean }),
    warnings,
    speakersByName: new Map<string, number>(),
  };
}

function describeNames(speakersByName: ReadonlyMap<string, number>): string {
  const names = [...speakersByName].map(([name, speaker]) => `${quoted(name)} is ${speaker}`);
  return `Names in the text have these speakers: ${names.join(', ')}.`;
}

const maxShownLength = 40;

function quoted(name: string): string {
  return JSON.stringify(name.length > maxShownLength ? `${name.slice(0, maxShownLength)}…` : name);
}

function assertInRange({ speaker, name, place }: RawTurn): void {
  if (speaker >= 1 && speaker <= maxSpeakers) return;
  const problem =
    name === undefined
      ? `speaker ${speaker}. Speakers go from 1 to ${maxSpeakers}; change the number`
      : `speaker ${quoted(name)}, but all ${maxSpeakers} speakers have other names or numbers. Use at most ${maxSpeakers} speakers`;
  throw new HearthError(
    'invalid_value',
    `In ${place} of the text: ${problem}, or set "mode" to "single".`,
    { param: 'text' },
  );
}

function toTurns(rawTurns: readonly RawTurn[], { clean }: ResolvedOptions): SpeechTurn[] {
  return rawTurns.flatMap(({ speaker, lines }) => {
    const joined = joinLines(lines);
    const text = clean ? cleanText(joined) : joined;
    return text === '' ? [] : [{ speaker, text }];
  });
}

/** Joins the lines of a turn, since a script has one line per turn. */
function joinLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
