import type { AudioReader } from './audio-reader.ts';
import type { ChatGeneration } from '../../engines/engine.ts';
import type { Engines } from '../../engines/engines.ts';
import type { ModelTarget } from '../../engines/loads/open-request.ts';
import type { Session } from '../../engines/session.ts';
import type { LoadEvent, QueuedEvent } from '../../engines/session-event.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { assertHearing } from './prepare-audio.ts';
import { forwardAudio, type ForwardEvent } from './forward-audio.ts';
import { AudioMemory } from './held-audio.ts';
import { toDataUrl } from '../image.ts';
import { logGeneration } from '../generation-stats.ts';
import { nearestReasoning } from '../reasoning.ts';
import { streamWithFallbacks } from '../request-target.ts';

/** Speech to write down as text, in its language or translated to English. */
export interface TranscriptionRequest {
  readonly task: 'transcribe' | 'translate';
  readonly target: ModelTarget;
  readonly file: { readonly name: string; readonly bytes: Buffer };
  /** Language code of the request, such as `en`. */
  readonly language?: string;
  /** Words and names that may occur. */
  readonly prompt?: string;
  readonly temperature?: number;
  readonly waitsForLoad: boolean;
  /** All fields of the form, to pass on to remote servers. */
  readonly fields: readonly (readonly [string, string])[];
  /** For a chat model, checks that the answer can have the requested format. */
  readonly assertFormat: () => void;
}

export type TranscriptionEvent =
  | QueuedEvent
  | LoadEvent
  | { readonly type: 'text.delta'; readonly text: string }
  | {
      readonly type: 'transcription.end';
      readonly text: string;
      readonly usage: { readonly promptTokens: number; readonly completionTokens: number };
    }
  | ForwardEvent;

/** Limit for all transcriptions together: received files and their decoded form for engines. */
const memoryOfAll = new AudioMemory(768 * 1024 * 1024);
const maxSeconds = 7200;
/** Maximum length of a piece. Whisper's encoder takes 30 seconds; this leaves a margin. */
const pieceSeconds = 29;
/** More tokens than half a minute of speech has, to stop a model that repeats itself. */
const maxPieceTokens = 1024;

/**
 * Transcribes an audio file. A remote server receives the unchanged file. A local model receives pieces that end in
 * pauses, one after the other.
 *
 * @throws HearthError `audio_unsupported`, `invalid_audio`, `queue_full`; the errors of `Engines.open`,
 *   `Session.generate` and `forwardAudio`; the signal's reason when aborted.
 */
export async function* transcribe(
  services: { readonly pool: Engines; readonly audio: AudioReader },
  request: TranscriptionRequest,
  context: RequestContext,
): AsyncGenerator<TranscriptionEvent> {
  const { pool } = services;
  const received = memoryOfAll.open(context.caller.clientKey);
  try {
    received.hold(request.file.bytes.length);
    yield* streamWithFallbacks(pool, request.target, context, (target) =>
      target.selection.model.format === 'remote'
        ? forwardAudio(pool, target, request, context)
        : transcribeHere(services, target, request, context),
    );
  } finally {
    received.release();
  }
}

async function* transcribeHere(
  { pool, audio }: { readonly pool: Engines; readonly audio: AudioReader },
  target: ModelTarget,
  request: TranscriptionRequest,
  context: RequestContext,
): AsyncGenerator<TranscriptionEvent> {
  const { selection } = target;
  assertHearing(selection.model, 'model');
  request.assertFormat();
  const { mediaType, pieces } = await audio.read(request.file.bytes, {
    clientKey: context.caller.clientKey,
    maxSeconds,
    pieceSeconds,
    signal: context.signal,
    field: 'file',
  });
  // Another model that answers instead of this one reads the file again.
  const decoded = memoryOfAll.open(context.caller.clientKey);
  let session: Session | undefined;
  let text = '';
  const usage = { promptTokens: 0, completionTokens: 0 };
  try {
    decoded.hold(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
    session = pool.open({ target, waitsForLoad: request.waitsForLoad }, context);
    yield* session.ready();
    for (const bytes of pieces) {
      const dataUrl = toDataUrl({ mediaType, bytes });
      let separator = text === '' ? '' : ' ';
      for await (const event of session.generate(toGeneration(target, request, dataUrl))) {
        if (event.type === 'content.delta') {
          // Exactly one space joins two pieces.
          const delta = separator === '' && text !== '' ? event.text : event.text.trimStart();
          if (delta === '') continue;
          yield { type: 'text.delta', text: `${separator}${delta}` };
          text += `${separator}${delta}`;
          separator = '';
        } else if (event.type === 'generation.report') {
          usage.promptTokens += event.report.usage.promptTokens;
          usage.completionTokens += event.report.usage.completionTokens;
        }
      }
    }
    logGeneration('chat', { selection, usage }, context);
    yield { type: 'transcription.end', text: text.trimEnd(), usage };
  } finally {
    session?.close();
    decoded.release();
  }
}

function toGeneration(
  { selection, defaults }: ModelTarget,
  { task, language, prompt, temperature = 0 }: TranscriptionRequest,
  dataUrl: string,
): ChatGeneration {
  const wanted =
    task === 'translate'
      ? 'Translate the speech in this audio into English.'
      : `Transcribe the speech in this audio word for word${language === undefined ? '' : ` (language: ${language})`}.`;
  const names = prompt === undefined ? '' : `\nWords that may occur: ${prompt}`;
  return {
    kind: 'chat',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'audio', dataUrl },
          { type: 'text', text: `${wanted} Answer with the text only.${names}` },
        ],
      },
    ],
    sampling: { ...defaults?.sampling, temperature },
    maxTokens: maxPieceTokens,
    ...omitUndefined({ reasoning: nearestReasoning(selection.model, 'off') }),
  };
}
