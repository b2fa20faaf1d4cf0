import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import { durationSeconds, writeWav } from '../../../kernel/wav.ts';
import { speakScript, type SpokenPart } from '../../../speech/speak-script.ts';
import type { SpeechServer } from '../../../engines/backends/remote/speech-server.ts';
import { mount, type App } from '../../kit/mount.ts';
import { openStream, type StreamFormat } from '../../kit/stream/open-stream.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import type { ApiServices } from '../../services.ts';
import { v1Errors } from '../errors.ts';
import {
  createSpeech,
  getSpeechServer,
  type SpeechEvent,
  type SpeechRequest,
} from './speech-schema.ts';

/** Maximum number of scripts that are spoken concurrently; each may have some parts or a whole file in memory. */
const maxRunning = 8;
/** 22 minutes at 24,000 Hz. Streams have no limit, since their parts do not stay in memory. */
const maxFileBytes = 64 * 1024 * 1024;

type SpeechItem =
  | { readonly type: 'speech.part'; readonly part: SpokenPart }
  | { readonly type: 'speech.end'; readonly durationSeconds: number };

export function mountSpeech(app: App, { speech }: Pick<ApiServices, 'speech'>): void {
  let running = 0;

  async function* speak(body: SpeechRequest, signal: AbortSignal): AsyncGenerator<SpeechItem> {
    const server = requireSpeech(speech);
    if (running >= maxRunning) {
      throw new HearthError('queue_full', `${maxRunning} scripts are being spoken already.`, {
        retryAfterSeconds: 5,
      });
    }
    const { model, speed, stream: _, ...script } = body;
    const options = { script, model: model ?? undefined, speed: speed ?? undefined };
    let seconds = 0;
    running += 1;
    try {
      for await (const part of speakScript(server, options, signal)) {
        seconds += durationSeconds(part.audio);
        yield { type: 'speech.part', part };
      }
      yield { type: 'speech.end', durationSeconds: seconds };
    } finally {
      running -= 1;
    }
  }

  mount(app, getSpeechServer, () =>
    Promise.resolve({ upstream: speech?.name ?? null, model: speech?.model ?? null }),
  );

  mount(app, createSpeech, async ({ body, context }) => {
    const items = speak(body, context.signal);
    if (body.stream === true) {
      return eventStream(await openStream(items, format, context), context);
    }
    return new Response(await join(items), { headers: { 'Content-Type': 'audio/wav' } });
  });
}

/** @throws HearthError `not_found` if no text-to-speech server is configured. */
export function requireSpeech(speech: SpeechServer | undefined): SpeechServer {
  if (speech !== undefined) return speech;
  throw new HearthError(
    'not_found',
    'This server has no text-to-speech server. Add one to `upstreams`, with `speech`: docs/speech-script.md describes it.',
  );
}

async function join(items: AsyncGenerator<SpeechItem>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  let first: SpokenPart | undefined;
  for await (const item of items) {
    if (item.type !== 'speech.part') continue;
    first ??= item.part;
    pieces.push(item.part.audio.samples);
    sizeBytes += item.part.audio.samples.length;
    if (sizeBytes > maxFileBytes) {
      throw invalidValue(
        'text',
        `The speech is larger than ${maxFileBytes / 1024 ** 2} MiB. Use \`stream\`, which has no limit, or a shorter text.`,
      );
    }
  }
  if (first === undefined) throw new Error('A script without parts was spoken');
  return new Uint8Array(writeWav(first.audio.format, pieces));
}

const format: StreamFormat<SpeechItem, SseMessage> = {
  write: (item) => [toMessage(toSpeechEvent(item))],
  fail: (error) => [toMessage({ type: 'error', error: v1Errors.serialize(error).body.error })],
};

function toSpeechEvent(item: SpeechItem): SpeechEvent {
  if (item.type === 'speech.end') {
    return { type: 'speech.end', duration_seconds: item.durationSeconds };
  }
  const { index, count, speaker, voice, text, audio } = item.part;
  const file = writeWav(audio.format, [audio.samples]);
  return {
    type: 'speech.part',
    index,
    count,
    speaker,
    voice,
    text,
    audio: file.toString('base64'),
  };
}

function toMessage(event: SpeechEvent): SseMessage {
  return { event: event.type, data: JSON.stringify(event) };
}
