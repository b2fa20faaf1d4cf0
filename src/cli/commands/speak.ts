import { writeFile } from 'node:fs/promises';
import { createSpeech } from '../../api/v1/speech/speech-schema.ts';
import { formatBytes, formatDuration } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { isSameFormat, readWav, writeWav, type WavAudio } from '../../kernel/wav.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { CommandError, UsageError } from '../failure.ts';
import { connectionOptions, decimal, optional, text } from '../option.ts';
import { createProgress } from '../ui/progress.ts';
import { readText, scriptOptions, toScript } from './script.ts';

export const speak = defineCommand({
  positionals: { file: optional('Text file; standard input if absent or -') },
  options: {
    ...scriptOptions,
    out: text('-o, --out <file>', 'WAV file to write'),
    model: text('-m, --model <model>', 'Model of the text-to-speech server'),
    speed: decimal('--speed <factor>', 'Speed of the speech; 1 is normal', 0.25, 4),
    ...connectionOptions,
  },
  examples: ['hearth speak dialogue.txt --speakers 2 --voices af_bella,am_adam -o dialogue.wav'],
  async run({ context, options, positionals: { file } }) {
    const { terminal, signal } = context;
    const { out, model, speed } = options;
    if (out === undefined) throw new UsageError('Name the file to write with --out.');
    const script = toScript(await readText(file, context), options);
    const client = await connect(context, options);
    const body = { ...script, model, speed, stream: true };
    const pieces: Buffer[] = [];
    let first: WavAudio | undefined;
    let seconds = 0;
    const progress = createProgress(terminal.messages, 'Speaking');
    try {
      for await (const event of client.stream(createSpeech, { body }, signal)) {
        if (event.type === 'error') throw new CommandError(printable(event.error.message));
        if (event.type === 'speech.end') {
          seconds = event.duration_seconds;
          continue;
        }
        const audio = readWav(Buffer.from(event.audio, 'base64'));
        first ??= audio;
        if (
          audio === undefined ||
          first === undefined ||
          !isSameFormat(audio.format, first.format)
        ) {
          throw new CommandError('The server sent audio that cannot be joined.');
        }
        pieces.push(audio.samples);
        progress.update((event.index + 1) / event.count, `${event.index + 1} of ${event.count}`);
      }
    } finally {
      progress.stop();
    }
    if (first === undefined || seconds === 0) {
      throw new CommandError('The server ended the stream before the speech was complete.');
    }
    const wav = writeWav(first.format, pieces);
    await writeFile(out, wav);
    terminal.output.line(`Wrote ${out} (${formatDuration(seconds)}, ${formatBytes(wav.length)})`);
  },
});
