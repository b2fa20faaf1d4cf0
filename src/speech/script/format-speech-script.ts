import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { SpeechScript, SpeechScriptOptions, SpeechTurn } from './speech-script.ts';
import { resolveOptions, type ResolvedOptions } from './options.ts';
import { readTurns } from './read-turns.ts';

/**
 * Converts a text to a script for a speech synthesizer: one line per turn, with the speaker, and only spoken text.
 * `mode` in the result is the detected one, `single` or `multi`; `script` is a string, or an array of turns if `output`
 * is `json`. Formatting the resulting script again returns the same turns.
 *
 * @throws HearthError `invalid_value` for a speaker out of range, or if nothing is left to say;
 * `missing_required_parameter`, `unrecognized_keys`, `invalid_type`, `invalid_value` for wrong options.
 */
export function formatSpeechScript(options: SpeechScriptOptions): SpeechScript {
  const resolved = resolveOptions(options);
  const { mode, turns, warnings } = readTurns(resolved);
  if (turns.length === 0) {
    const why = resolved.clean
      ? 'Nothing is left to say after cleaning'
      : 'There is nothing to say';
    const hint = resolved.clean
      ? 'give words beside annotations, tags, URLs and emoji, or set "clean" to false.'
      : 'give words beside labels and white space.';
    const message = [`${why}: ${hint}`, ...warnings].join(' ');
    throw new HearthError('invalid_value', message, { param: 'text' });
  }
  const common = {
    mode,
    speakers: toSlots(resolved, turns),
    warnings: [...warnings, ...surplusWarnings(resolved)],
  };
  const { output } = resolved;
  if (output === 'json') return { ...common, output, script: turns };
  const lines = turns.map(({ speaker, text }) =>
    output === 'plain' ? text : `Speaker ${speaker}: ${text}`,
  );
  return { ...common, output, script: lines.join('\n') };
}

/** Entries for the requested number of speakers, or for more if the script has more. */
function toSlots(
  { speakers, voices, emotions }: ResolvedOptions,
  turns: readonly SpeechTurn[],
): SpeechScript['speakers'] {
  const slots = new Set(turns.map(({ speaker }) => speaker));
  for (let speaker = 1; speaker <= speakers; speaker += 1) slots.add(speaker);
  return [...slots]
    .toSorted((one, other) => one - other)
    .map((speaker) => ({
      speaker,
      ...omitUndefined({ voice: voices[speaker - 1], emotion: emotions[speaker - 1] }),
    }));
}

function surplusWarnings({ speakers, voices, emotions }: ResolvedOptions): string[] {
  const slots = speakers === 1 ? '1 speaker' : `${speakers} speakers`;
  return Object.entries({ voices, emotions })
    .filter(([, entries]) => entries.length > speakers)
    .map(
      ([name, { length }]) =>
        `"${name}" has ${length} entries for ${slots}; the others count only for speakers that the script has.`,
    );
}
