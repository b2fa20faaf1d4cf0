import { readFile, stat } from 'node:fs/promises';
import { emotionSchema, maxSpeakers } from '../../speech/script/schema.ts';
import { emotions, type Emotion } from '../../speech/script/speech-script.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { formatSpeechScript } from '../../speech/script/format-speech-script.ts';
import {
  defineCommand,
  type CommandContext,
  type OptionDeclaration,
  type OptionValues,
} from '../command.ts';
import { CommandError, UsageError } from '../failure.ts';
import { choice, flag, integer, jsonOption, optional, text, textList } from '../option.ts';
import { readStandardInput } from '../standard-input.ts';
import { printable } from '../../kernel/printable.ts';

/** A comma-separated list; the option can be repeated. */
const emotionOption: OptionDeclaration<readonly Emotion[]> = {
  flags: '--emotion <list>',
  summary: `Emotions of speakers 1, 2, ..., comma-separated (${emotions.join(', ')})`,
  parse: (value, previous = []) => [...previous, ...value.split(',').map(readEmotion)],
};

/** Options of the formatter, besides its output. */
export const scriptOptions = {
  mode: choice('--mode <mode>', 'Whether the text has one or several speakers', [
    'auto',
    'single',
    'multi',
  ]),
  speakers: integer('--speakers <count>', 'Number of speaker slots (default: 1)', 1, maxSpeakers),
  voice: textList('--voice <name>', 'Voice of the next speaker; can be repeated'),
  voices: text('--voices <list>', 'Voices of speakers 1, 2, ..., comma-separated'),
  emotion: emotionOption,
  clean: flag('--no-clean', 'Keep emoji, tags, URLs and annotations'),
};

export const script = defineCommand({
  positionals: { file: optional('Text file; standard input if absent or -') },
  options: {
    ...scriptOptions,
    output: choice('--output <form>', 'Output format: text only, labeled lines, or JSON turns', [
      'plain',
      'script',
      'json',
    ]),
    ...jsonOption,
  },
  examples: [
    'hearth script dialogue.txt',
    'hearth script dialogue.txt --speakers 2 --voices alice,carl --json',
    'echo "Hello (sighs) world" | hearth script --output plain',
  ],
  async run({ context, options, positionals: { file } }) {
    const { output, messages } = context.terminal;
    const result = formatSpeechScript({
      ...toScript(await readText(file, context), options),
      output: options.output,
    });
    if (options.json === true) output.json(result);
    else if (result.output === 'json') output.json(result.script);
    else output.line(output.isInteractive ? printable(result.script) : result.script);
    if (options.json === true) return;
    for (const warning of result.warnings) messages.line(`warning: ${printable(warning)}`);
  },
});

/** @throws UsageError */
export function toScript(
  source: string,
  { mode, speakers, voice, voices, emotion, clean }: OptionValues<typeof scriptOptions>,
) {
  if (voice !== undefined && voices !== undefined) {
    throw new UsageError('Use either --voice or --voices, not both.');
  }
  return {
    text: source,
    mode,
    speakers,
    voices: voice === undefined ? voices?.split(',').map((name) => name.trim()) : [...voice],
    emotions: emotion && [...emotion],
    clean,
  };
}

/** @throws UsageError */
function readEmotion(name: string): Emotion {
  const result = emotionSchema.safeParse(name.trim());
  if (result.success) return result.data;
  throw new UsageError(`Allowed: ${emotions.join(', ')}.`);
}

const maxFileBytes = 48 * 1024 * 1024;

/**
 * @throws UsageError if the standard input is empty; CommandError if the file does not exist or is too large; the
 *   system's error if it cannot be read; the signal's reason when aborted.
 */
export async function readText(
  file: string | undefined,
  { stdin, terminal, signal }: CommandContext,
): Promise<string> {
  if (file === undefined || file === '-') {
    const piped = await readStandardInput(stdin, terminal.messages, signal);
    if (piped !== '') return piped;
    throw new UsageError('The standard input has no text. Name a text file, or pipe a text in.');
  }
  const { size } = await stat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') {
      throw new CommandError(`File not found: ${file}. Check the path; to use a text, pipe it in.`);
    }
    throw error;
  });
  if (size > maxFileBytes) throw new CommandError(`${file} is larger than ${maxFileBytes} bytes.`);
  return readFile(file, { encoding: 'utf8', signal });
}
