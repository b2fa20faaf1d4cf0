import { createUpstreamClient } from './upstream-client.ts';
import { toUpstreamError } from './upstream-failure.ts';
import type { Upstream } from './upstream.ts';
import { Semaphore } from '../../../kernel/concurrency/semaphore.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';

/** A request of OpenAI's `/v1/audio/speech`; servers may support more fields. */
export interface SpeechRequest {
  readonly input: string;
  readonly voice: unknown;
  /** Defaults to the model in the settings. */
  readonly model?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** The user's text-to-speech server, with OpenAI's API. */
export interface SpeechServer {
  /** Name of the server in the settings. */
  readonly name: string;
  /** Model for requests that name none. */
  readonly model: string;
  /** Maximum number of parts of scripts that are spoken at the same time. Requests with streamed audio are not limited. */
  readonly maxConcurrent: number;
  /** Limits the parts of all scripts together to `maxConcurrent` at a time. */
  readonly partSlots: Semaphore;
  /**
   * Speaks a text; resolves when the audio begins.
   *
   * @throws HearthError `upstream_error`, `upstream_unavailable`, `invalid_value`, also while reading; the signal's
   * reason when aborted.
   */
  speak(request: SpeechRequest, signal: AbortSignal): Promise<AsyncGenerator<Buffer>>;
  readonly close: () => Promise<void>;
}

interface SpeechServerOptions {
  readonly upstream: Pick<Upstream, 'name' | 'urls' | 'apiKey' | 'timeoutMs' | 'maxConcurrent'>;
  readonly model: string;
  /** Environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Longer than the speech of any text that a request may have. */
const maxAudioBytes = 256 * 1024 * 1024;

export function createSpeechServer({
  upstream,
  model,
  environment,
}: SpeechServerOptions): SpeechServer {
  const { name, urls, apiKey, timeoutMs, maxConcurrent } = upstream;
  const client = createUpstreamClient({ apiKey, timeoutMs, environment });
  const url = `${urls[0]}/audio/speech`;
  const convert = (error: unknown): unknown => toUpstreamError(error, name);
  return {
    name,
    model,
    maxConcurrent,
    partSlots: new Semaphore(maxConcurrent),
    speak: async (request, signal) => {
      const body = { ...request, model: request.model ?? model };
      const options = { headers: { accept: '*/*' }, onRead: () => {}, signal };
      const stream = await client.openStream(url, body, options).catch((error: unknown) => {
        throw convert(error);
      });
      return (async function* read() {
        let sizeBytes = 0;
        try {
          for (let pieces = await stream.read(); pieces; pieces = await stream.read()) {
            for (const piece of pieces) {
              sizeBytes += piece.length;
              if (sizeBytes > maxAudioBytes) throw tooLarge(name);
              yield piece;
            }
          }
        } catch (error) {
          throw convert(error);
        } finally {
          stream.close();
        }
      })();
    },
    close: () => client.close(),
  };
}

function tooLarge(name: string): HearthError {
  return new HearthError(
    'upstream_error',
    `"${name}" sent more than ${maxAudioBytes / 1024 ** 2} MiB of audio.`,
  );
}
