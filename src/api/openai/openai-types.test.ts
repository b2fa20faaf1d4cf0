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

/** Fields that the client adds itself, or that the schema declares less precisely. */
type Sent = Omit<SdkResponse, 'output_text' | 'tool_choice' | 'tools' | 'text'>;
type Replaced<Event> = Event extends { readonly response: OpenAiResponse }
  ? Omit<Event, 'response'> & { readonly response: SdkResponse }
  : Event;

it('has the types of the official client', () => {
  expectTypeOf<OpenAiChatCompletion>().toExtend<OpenAI.ChatCompletion>();
  expectTypeOf<OpenAiChatChunk>().toExtend<OpenAI.ChatCompletionChunk>();
  // Streams of completions send a null reason, which the client's type does not have.
  expectTypeOf<OpenAiCompletion['choices'][number]>().toExtend<
    Omit<OpenAI.CompletionChoice, 'finish_reason'>
  >();
  expectTypeOf<OpenAiResponse>().toExtend<Sent>();
  expectTypeOf<Replaced<NumberedEvent>>().toExtend<ResponseStreamEvent>();
});
