import type { OpenAI } from 'openai';
import type {
  Response as SdkResponse,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { expectTypeOf, it } from 'vitest';
import type { OpenAiChatChunk, OpenAiChatCompletion } from './chat/chat-completion-schema.ts';
import type { OpenAiResponse } from './responses/response-schema.ts';
import type { OpenAiCompletion } from './completions/text-completion-schema.ts';
import type { NumberedEvent } from './responses/response-event.ts';

/** Fields that the client itself adds, or that only a schema could name more precisely than `unknown`. */
type Sent = Omit<SdkResponse, 'output_text' | 'tool_choice' | 'tools' | 'text'>;
type Replaced<Event> = Event extends { readonly response: OpenAiResponse }
  ? Omit<Event, 'response'> & { readonly response: SdkResponse }
  : Event;

it('has the types of the official client', () => {
  expectTypeOf<OpenAiChatCompletion>().toExtend<OpenAI.ChatCompletion>();
  expectTypeOf<OpenAiChatChunk>().toExtend<OpenAI.ChatCompletionChunk>();
  // The client's own type has no null reason, which streams of completions do send.
  expectTypeOf<OpenAiCompletion['choices'][number]>().toExtend<
    Omit<OpenAI.CompletionChoice, 'finish_reason'>
  >();
  expectTypeOf<OpenAiResponse>().toExtend<Sent>();
  expectTypeOf<Replaced<NumberedEvent>>().toExtend<ResponseStreamEvent>();
});
