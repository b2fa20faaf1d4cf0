import type { SpeechEvent, SpeechRequest } from '../../../../src/api/v1/speech/speech-schema.ts';
import { stream } from '../../api/client.ts';
import { errorText } from '../../ui/error-text.ts';
import { joinWav } from './join-wav.ts';

export type SpokenPart = Extract<SpeechEvent, { type: 'speech.part' }>;

export interface Speech {
  readonly file: Blob;
  readonly seconds: number;
}

/**
 * Speaks a script. Requests a stream of parts, which has no size limit, and joins them.
 *
 * @throws The errors of `stream`; Error with the message of a part that fails.
 */
export async function speakScript(
  body: SpeechRequest,
  { signal, onPart }: { readonly signal: AbortSignal; readonly onPart: (part: SpokenPart) => void },
): Promise<Speech> {
  const parts: Blob[] = [];
  const request = { body: { ...body, stream: true } };
  for await (const { data } of stream('post', '/api/v1/speech', request, { signal })) {
    const event = JSON.parse(data) as SpeechEvent;
    if (event.type === 'error') throw new Error(errorText(event.error));
    if (event.type === 'speech.end') {
      return { file: await joinWav(parts), seconds: event.duration_seconds };
    }
    // The browser may store a Blob on the disk.
    parts.push(new Blob([Uint8Array.from(atob(event.audio), (each) => each.charCodeAt(0))]));
    onPart(event);
  }
  throw new Error('The speech ended early.');
}
