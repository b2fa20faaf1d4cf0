import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { writeWav } from '../../../src/kernel/wav.ts';
import { sendJson, startLoopbackServer } from '../net/loopback-server.ts';

interface SpeechBody {
  readonly input: string;
  readonly voice: string;
  readonly model: string;
  readonly speed?: number;
  readonly response_format?: string;
}

/** Speaks a text; returns a WAV file. */
export type Speak = (body: SpeechBody) => Promise<Buffer>;

/** Voices of espeak-ng for the names of OpenAI's voices. */
const espeakVoices: Readonly<Record<string, string>> = {
  alloy: 'en-gb',
  echo: 'en-us',
  fable: 'de',
  onyx: 'fr',
};

/** The real synthesizer espeak-ng. It streams its output, so the size in the header is wrong. */
export const speakWithEspeak: Speak = async ({ input, voice, speed = 1 }) => {
  const commandLine = ['--stdout', '-v', espeakVoices[voice] ?? voice, '-s', String(175 * speed)];
  const program = spawn('espeak-ng', commandLine, { stdio: ['pipe', 'pipe', 'ignore'] });
  program.stdin.end(input);
  const [audio] = await Promise.all([buffer(program.stdout), once(program, 'close')]);
  return audio;
};

/** Writes a sample for each character; its value is the character's code. */
const speakCodes: Speak = async ({ input }) =>
  writeWav(
    {
      encoding: 'integer',
      channels: 1,
      sampleRate: input.includes('faster') ? 16_000 : 8000,
      bitsPerSample: 8,
    },
    [Buffer.from(input, 'latin1')],
  );

/**
 * A server with OpenAI's `/v1/audio/speech`. It does not know the voice `absent`, and never finishes a text with
 * "endless".
 */
export function startSpeechServer(speak: Speak = speakCodes) {
  return startLoopbackServer((request, response) => {
    const body = JSON.parse(request.body) as SpeechBody;
    if (request.path !== '/v1/audio/speech') return sendJson(response, {}, 404);
    if (body.voice === 'absent') {
      return sendJson(response, { error: { message: 'There is no voice "absent".' } }, 400);
    }
    if (body.input.includes('endless')) return undefined;
    if (body.response_format !== 'wav') return void response.end(`${body.response_format} audio`);
    return void speak(body).then((audio) => response.end(audio));
  });
}
