import { HearthError } from '../contract/errors.ts';
import { maxSpeakers, type SpeechTurn } from '../contract/v1/speech-script.ts';
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
 * @throws HearthError `invalid_value` for a speaker out of range, unless all text is one speaker's.
 */
export function readTurns(options: ResolvedOptions): Reading {
  const { rawTurns, isLabelled, warnings } = findTurns(options);
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
    warnings: isLabelled ? warnings : [...warnings, unlabelled],
  };
}

function findTurns({ text, clean }: ResolvedOptions) {
  const fromJson = readJsonTurns(text);
  if (fromJson !== undefined && 'turns' in fromJson) {
    return { rawTurns: fromJson.turns, isLabelled: true, warnings: [] };
  }
  const warnings = fromJson === undefined ? [] : [fromJson.warning];
  // Removes markup that spans lines before splitting the text into lines.
  const visible = clean ? withoutHiddenMarkup(text) : text;
  return { ...splitLabels(visible, { isDecorated: clean }), warnings };
}

function assertInRange({ speaker, place }: RawTurn): void {
  if (speaker >= 1 && speaker <= maxSpeakers) return;
  throw new HearthError(
    'invalid_value',
    `In ${place} of the text: speaker ${speaker}. Speakers go from 1 to ${maxSpeakers}; change the number, or set "mode" to "single".`,
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

/** Line breaks within a turn are not part of a script, which has one line per turn. */
function joinLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
