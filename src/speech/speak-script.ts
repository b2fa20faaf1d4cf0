import type { Semaphore } from '../kernel/concurrency/semaphore.ts';
import { linkAbort } from '../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { formatSpeechScript } from './script/format-speech-script.ts';
import type { SpeechScriptOptions } from './script/speech-script.ts';
import { describeFormat, isSameFormat, readWav, type WavAudio } from '../kernel/wav.ts';
import { splitText } from './split-text.ts';

/** A part of a script, spoken in one request to the text-to-speech server. */
interface ScriptPart {
  /** Index of the part, from 0. */
  readonly index: number;
  readonly count: number;
  readonly speaker: number;
  readonly voice: string;
  readonly text: string;
  readonly emotion: string | undefined;
}

/** A request of OpenAI's `/v1/audio/speech` for the audio of one part. */
export interface PartRequest {
  readonly input: string;
  readonly voice: string;
  /** Further fields of the API. */
  readonly [field: string]: unknown;
}

/** A text-to-speech server. */
export interface Synthesizer {
  readonly maxConcurrent: number;
  /** Limits the parts of all scripts together to `maxConcurrent` at a time. */
  readonly partSlots: Pick<Semaphore, 'run'>;
  /** Speaks a text; resolves when the audio begins. */
  speak(request: PartRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
}

export interface SpokenPart extends ScriptPart {
  readonly audio: WavAudio;
}

export interface SpeakOptions {
  readonly script: SpeechScriptOptions;
  readonly model: string | undefined;
  /** Speed of speech; 1 is normal. */
  readonly speed: number | undefined;
}

/** The first voices of OpenAI's API; most servers have voices with these names. */
const defaultVoices = ['alloy', 'echo', 'fable', 'onyx'];
const maxPartLength = 1000;
/** Far more than a part needs: a minute of speech has about 1,000 characters and 3 MB at 24,000 Hz. */
const maxPartBytes = 32 * 1024 * 1024;
const maxParallelParts = 2;

/**
 * Speaks a script: yields the audio of its parts in order, while the server already speaks the next parts.
 *
 * @throws HearthError The errors of `formatSpeechScript` and `Synthesizer.speak`, which name the part and its speaker;
 * `upstream_error` if the audio is not a WAV file or changes its format. The signal's reason when aborted.
 */
export async function* speakScript(
  server: Synthesizer,
  options: SpeakOptions,
  signal: AbortSignal,
): AsyncGenerator<SpokenPart> {
  const parts = toParts(options.script);
  const ended = linkAbort(signal);
  const speaking: Promise<SpokenPart>[] = [];
  let nextIndex = 0;
  const start = (): void => {
    const part = parts[nextIndex];
    if (part === undefined) return;
    nextIndex += 1;
    const spoken = speakPart(server, part, options, ended.signal);
    // Errors are handled where the part is awaited, which does not happen if an earlier part fails.
    spoken.catch(() => {});
    speaking.push(spoken);
  };
  let first: SpokenPart | undefined;
  try {
    for (let each = 0; each < Math.min(maxParallelParts, server.maxConcurrent); each += 1) start();
    for (let next = speaking.shift(); next !== undefined; next = speaking.shift()) {
      const part = await next;
      first ??= part;
      assertSameFormat(part, first);
      start();
      yield part;
    }
  } finally {
    ended.abort();
  }
}

function toParts(script: SpeechScriptOptions): readonly ScriptPart[] {
  const { output, script: turns, speakers } = formatSpeechScript({ ...script, output: 'json' });
  if (output !== 'json') return [];
  const parts = turns.flatMap(({ speaker, text }) =>
    splitText(text, maxPartLength).map((piece) => ({ speaker, text: piece })),
  );
  return parts.map(({ speaker, text }, index) => {
    const slot = speakers.find((each) => each.speaker === speaker);
    const voice = slot?.voice || (defaultVoices[speaker - 1] ?? '');
    return { index, count: parts.length, speaker, text, voice, emotion: slot?.emotion };
  });
}

async function speakPart(
  server: Synthesizer,
  part: ScriptPart,
  { model, speed }: SpeakOptions,
  signal: AbortSignal,
): Promise<SpokenPart> {
  const { text: input, voice, emotion } = part;
  const instructions =
    emotion === undefined || emotion === 'neutral' ? undefined : `Tone: ${emotion}.`;
  const request = {
    input,
    voice,
    response_format: 'wav',
    ...omitUndefined({ model, speed, instructions }),
  };
  try {
    const content = await server.partSlots.run(() => readAudio(server, request, signal), signal);
    const audio = readWav(content);
    if (audio === undefined) {
      throw broken(
        'the text-to-speech server sent no WAV file, and other formats cannot be joined',
      );
    }
    return { ...part, audio };
  } catch (error) {
    throw error instanceof HearthError && !signal.aborted ? atPart(error, part) : error;
  }
}

async function readAudio(
  server: Synthesizer,
  request: PartRequest,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of await server.speak(request, signal)) {
    pieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes > maxPartBytes) {
      throw broken(`the audio is larger than ${maxPartBytes / 1024 ** 2} MiB`);
    }
  }
  return Buffer.concat(pieces);
}

function assertSameFormat(part: SpokenPart, first: SpokenPart): void {
  const { format } = part.audio;
  if (isSameFormat(format, first.audio.format)) return;
  const reason = `its audio cannot be joined: it has ${describeFormat(format)}, and the first part ${describeFormat(first.audio.format)}`;
  throw atPart(broken(reason), part);
}

function broken(reason: string): HearthError {
  return new HearthError('upstream_error', `${reason}.`);
}

function atPart(error: HearthError, { index, count, speaker, voice }: ScriptPart): HearthError {
  return new HearthError(
    error.code,
    `Part ${index + 1} of ${count} (speaker ${speaker}, voice ${JSON.stringify(voice)}): ${error.message}`,
    { cause: error, ...omitUndefined({ retryAfterSeconds: error.retryAfterSeconds }) },
  );
}
