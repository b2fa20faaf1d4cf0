import { createHash } from 'node:crypto';
import type { AudioReader } from './audio-reader.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { ModelEntry } from '../../library/model.ts';
import type { NewBlob } from '../../store/store.ts';
import type { ImageAllowance } from '../image-allowance.ts';

/** Reads media, and counts the bytes and pixels of a request. */
export interface MediaTools {
  readonly allowance: ImageAllowance;
  readonly audio: AudioReader;
  /** The client that sent the media. */
  readonly clientKey: string;
}

/** Maximum duration of one audio file in a conversation. */
const maxSeconds = 600;

/** @throws HearthError `audio_unsupported`. */
export function assertHearing(model: ModelEntry, field: string): void {
  if (model.hearsAudio) return;
  throw new HearthError(
    'audio_unsupported',
    `${model.key} can't hear audio. Choose a model with the capability \`audio\`, or send text only.`,
    { field },
  );
}

/**
 * Checks the size of audio given as a base64 data URL, without decoding it.
 *
 * @param field Domain path of the audio, for errors.
 * @throws HearthError `invalid_audio`.
 */
export function admitAudio(dataUrl: string, allowance: ImageAllowance, field: string): void {
  const start = base64Start(dataUrl, field);
  const bytes = Math.floor(((dataUrl.length - start) * 3) / 4);
  allowance.admitBytes(bytes, field, 'invalid_audio');
}

/**
 * Decodes admitted audio and encodes it for the engine and the store. The result counts toward the allowance.
 *
 * @throws HearthError `invalid_audio`, `queue_full`; the signal's reason when aborted.
 */
export async function prepareAudio(
  dataUrl: string,
  { allowance, audio, clientKey }: MediaTools,
  field: string,
  signal: AbortSignal,
): Promise<NewBlob> {
  const content = Buffer.from(dataUrl.slice(base64Start(dataUrl, field)), 'base64');
  const { mediaType, pieces } = await audio.read(content, { clientKey, maxSeconds, signal, field });
  const bytes = pieces[0] ?? new Uint8Array();
  allowance.hold(bytes.byteLength, field, 'invalid_audio');
  return { sha256: createHash('sha256').update(bytes).digest('hex'), mediaType, bytes };
}

/** Position of the base64 text. Its media type may have parameters, as browsers add them. */
function base64Start(dataUrl: string, field: string): number {
  const prefix =
    /^data:(?:audio|application|video)\/[^,;]{1,64}(?:;[^,;]{1,64}){0,4};base64,/i.exec(
      dataUrl.slice(0, 512),
    )?.[0];
  if (prefix !== undefined) return prefix.length;
  throw new HearthError(
    'invalid_audio',
    `Audio must be a base64 data URL such as data:audio/wav;base64,...; this one starts with ${JSON.stringify(dataUrl.slice(0, 32))}.`,
    { field },
  );
}
