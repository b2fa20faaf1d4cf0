import type * as z from 'zod';
import {
  transcribe,
  type TranscriptionEvent,
  type TranscriptionRequest,
} from '../../../chat/audio/transcribe.ts';
import { type HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type { UploadBody } from '../../kit/body/upload-body.ts';
import { mount, type App } from '../../kit/mount.ts';
import { openStream } from '../../kit/stream/open-stream.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import { validate } from '../../kit/validation/validation-error.ts';
import type { ApiServices } from '../../services.ts';
import { openAiErrors } from '../errors.ts';
import { readAudioForm } from './audio-form.ts';
import {
  createTranscriptionOpenAi,
  createTranslationOpenAi,
  transcriptionFieldsSchema,
  translationFieldsSchema,
  type transcriptEventSchema,
} from './transcription-schema.ts';

type Services = Pick<ApiServices, 'pool' | 'audio'>;
type EndEvent = Extract<TranscriptionEvent, { readonly type: 'transcription.end' }>;
type AnswerHead = Extract<TranscriptionEvent, { readonly type: 'answer.head' }>;

const trueValues = new Set(['true', 'True', '1']);
/** Content types that are passed through from remote servers. A page or script would run with the rights of the web app. */
const passedTypes = new Set([
  'application/json',
  'application/x-subrip',
  'text/event-stream',
  'text/plain',
  'text/vtt',
]);
const resultTypes = new Set<TranscriptionEvent['type']>([
  'answer.head',
  'text.delta',
  'transcription.end',
]);
/** Response formats that chat models support. */
const chatFormats = ['json', 'text'];

export function mountTranscriptions(app: App, services: Services): void {
  mount(app, createTranscriptionOpenAi, ({ upload, context }) =>
    respond(services, 'transcribe', upload, context),
  );
  mount(app, createTranslationOpenAi, ({ upload, context }) =>
    respond(services, 'translate', upload, context),
  );
}

async function respond(
  services: Services,
  task: TranscriptionRequest['task'],
  upload: UploadBody,
  context: RequestContext,
) {
  const { file, fields, all } = await readAudioForm(upload);
  const isTranslation = task === 'translate';
  const {
    model,
    prompt,
    temperature,
    language,
    stream,
    response_format: format = 'json',
  } = {
    language: undefined,
    stream: undefined,
    ...validate(isTranslation ? translationFieldsSchema : transcriptionFieldsSchema, fields),
  };
  const isStreamed = trueValues.has(stream ?? '');
  const target = await services.pool.resolve(model, 'generation', context.caller);
  const request: TranscriptionRequest = {
    task,
    target,
    file,
    fields: all,
    waitsForLoad: isStreamed,
    assertFormat: () => assertChatFormat(format),
    ...omitUndefined({ language, prompt, temperature }),
  };
  const events = transcribe(services, request, context);
  const first = await nextResult(events);
  if (first?.type === 'answer.head') return passOn(first, events);
  const rest = resumed(first, events);
  if (isStreamed) return eventStream(await openStream(rest, streamFormat, context), context);
  const end = await endOf(rest);
  if (format === 'text') {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    return new Response(`${end.text}\n`, { headers });
  }
  return { text: end.text, usage: toUsage(end) };
}

/** Skips events of queues and loads, which are not part of the stream. */
async function nextResult(
  events: AsyncGenerator<TranscriptionEvent>,
): Promise<TranscriptionEvent | undefined> {
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return undefined;
    if (resultTypes.has(value.type)) return value;
  }
}

async function* resumed(
  first: TranscriptionEvent | undefined,
  events: AsyncGenerator<TranscriptionEvent>,
): AsyncGenerator<TranscriptionEvent> {
  if (first !== undefined) yield first;
  yield* events;
}

function passOn({ contentType }: AnswerHead, events: AsyncGenerator<TranscriptionEvent>): Response {
  const bytes = async function* bytesOf(): AsyncGenerator<Uint8Array> {
    for await (const event of events) if (event.type === 'answer.piece') yield event.bytes;
  };
  const isPassed = passedTypes.has(contentType.split(';')[0]?.trim().toLowerCase() ?? '');
  const type = isPassed ? contentType : 'application/octet-stream';
  return new Response(ReadableStream.from(bytes()), { headers: { 'Content-Type': type } });
}

async function endOf(events: AsyncGenerator<TranscriptionEvent>): Promise<EndEvent> {
  for await (const event of events) if (event.type === 'transcription.end') return event;
  throw new Error('A transcription ended without its last event');
}

/** @throws HearthError `invalid_value`. */
function assertChatFormat(format: string): void {
  if (chatFormats.includes(format)) return;
  throw invalidValue(
    'response_format',
    `\`response_format\` is ${JSON.stringify(format)}; a chat model knows no times. Allowed are ${chatFormats.map((each) => JSON.stringify(each)).join(' and ')}.`,
  );
}

const streamFormat = {
  write: (event: TranscriptionEvent): readonly SseMessage[] => {
    if (event.type === 'text.delta')
      return [toMessage({ type: 'transcript.text.delta', delta: event.text })];
    if (event.type !== 'transcription.end') return [];
    return [toMessage({ type: 'transcript.text.done', text: event.text, usage: toUsage(event) })];
  },
  fail: (error: HearthError): readonly SseMessage[] => [
    { data: JSON.stringify(openAiErrors.serialize(error).body) },
  ],
};

function toMessage(event: z.infer<typeof transcriptEventSchema>): SseMessage {
  return { data: JSON.stringify(event) };
}

function toUsage({ usage: { promptTokens, completionTokens } }: EndEvent) {
  return {
    type: 'tokens' as const,
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
