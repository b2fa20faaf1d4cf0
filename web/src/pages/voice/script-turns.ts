import type { SpeechScript } from '../../../../src/speech/script/speech-script.ts';

export interface ShownTurn {
  /** Undefined for plain text, which has no speakers. */
  readonly speaker: number | undefined;
  readonly text: string;
}

/** The turns of a script, for every kind of output. */
export function turnsOf(result: SpeechScript): readonly ShownTurn[] {
  if (result.output === 'json') return result.script;
  return result.script
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const match = result.output === 'script' ? /^Speaker (\d+): ?(.*)$/.exec(line) : null;
      return { speaker: match === null ? undefined : Number(match[1]), text: match?.[2] ?? line };
    });
}

/** The script as one text, to copy and to save. */
export function scriptText({ script }: SpeechScript): string {
  return typeof script === 'string' ? script : JSON.stringify(script, null, 2);
}

export function countWords(turns: readonly ShownTurn[]): number {
  return turns.reduce((sum, { text }) => sum + text.split(/\s+/).filter(Boolean).length, 0);
}
