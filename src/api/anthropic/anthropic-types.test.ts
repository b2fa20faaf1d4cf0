import type { Anthropic } from '@anthropic-ai/sdk';
import { expectTypeOf, it } from 'vitest';
import type { AnthropicErrorBody } from './errors.ts';
import type {
  AnthropicContentBlock,
  AnthropicMessage,
  AnthropicMessageEvent,
} from './message-schema.ts';
import type { AnthropicModel } from './model-schema.ts';
import type { AnthropicMessageRequest } from './message-request-schema.ts';

type StreamEvent = Exclude<AnthropicMessageEvent, { readonly type: 'ping' | 'error' }>;
/** Like Anthropic's API, the server omits `citations` if there are none; the client's type has null. */
type Cited<Block> = Block extends { readonly type: 'text' } ? Block & { citations: null } : Block;
type Message = Omit<AnthropicMessage, 'content'> & { content: Cited<AnthropicContentBlock>[] };
type CitedEvent<Event> = Event extends { readonly type: 'message_start' }
  ? { type: 'message_start'; message: Message }
  : Event extends { readonly content_block: AnthropicContentBlock }
    ? Omit<Event, 'content_block'> & { content_block: Cited<AnthropicContentBlock> }
    : Event;
/** The client lists more capabilities than a local model can have. */
type Sent = Omit<Anthropic.ModelInfo, 'capabilities'>;

it('has the types of the official client', () => {
  expectTypeOf<Message>().toExtend<Anthropic.Message>();
  expectTypeOf<CitedEvent<StreamEvent>>().toExtend<Anthropic.RawMessageStreamEvent>();
  expectTypeOf<AnthropicModel>().toExtend<Sent>();
  expectTypeOf<AnthropicErrorBody['type']>().toExtend<Anthropic.ErrorResponse['type']>();
  expectTypeOf<AnthropicErrorBody['request_id']>().toEqualTypeOf<
    Anthropic.ErrorResponse['request_id']
  >();
  // The API has an error for a body that is too large, but the client has no type for it.
  expectTypeOf<
    Exclude<AnthropicErrorBody['error']['type'], 'request_too_large'>
  >().toExtend<Anthropic.ErrorType>();
});

it('takes what the official client sends', () => {
  type Body = AnthropicMessageRequest;
  type Choice = NonNullable<Body['tool_choice']>;
  expectTypeOf<Anthropic.ToolChoice['type']>().toEqualTypeOf<Choice['type']>();
  type Thinking = NonNullable<Body['thinking']>;
  expectTypeOf<Exclude<Anthropic.ThinkingConfigParam['type'], 'between_tools'>>().toEqualTypeOf<
    Thinking['type']
  >();
  type Effort = NonNullable<Body['output_config']>['effort'];
  expectTypeOf<Anthropic.OutputConfig['effort']>().toExtend<Effort>();
  expectTypeOf<Anthropic.MessageParam['role']>().toEqualTypeOf<Body['messages'][number]['role']>();
  expectTypeOf<Anthropic.Base64ImageSource['media_type']>().toEqualTypeOf<
    'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'
  >();
});
