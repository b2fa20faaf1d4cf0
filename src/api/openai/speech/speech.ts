import { ReadableStream } from 'node:stream/web';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { requireSpeech } from '../../v1/speech/speech.ts';
import { createSpeechOpenAi, speechFormats } from './speech-schema.ts';

export function mountSpeech(app: App, { speech }: Pick<ApiServices, 'speech'>): void {
  mount(app, createSpeechOpenAi, async ({ body, context }) => {
    const audio = await requireSpeech(speech).speak(body, context.signal);
    const type =
      body.stream_format === 'sse'
        ? 'text/event-stream; charset=utf-8'
        : speechFormats[body.response_format ?? 'mp3'];
    const stream = ReadableStream.from(audio) as globalThis.ReadableStream<Uint8Array>;
    return new Response(stream, { headers: { 'Content-Type': type } });
  });
}
