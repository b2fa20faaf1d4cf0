import * as z from 'zod';
import { llamaAnthropic } from './llama-anthropic.cases.ts';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { anthropicError, chat, hello, redPixel, text, vision } from './values.ts';

const ask = (more: object = {}): PeerRequest => ({
  path: '/v1/messages',
  body: { model: chat, max_tokens: 16, temperature: 0, messages: hello, ...more },
});
const message = {
  body: {
    type: 'message',
    role: 'assistant',
    content: z.array(z.looseObject({ type: text })).min(1),
  },
};
const image = (data: string) => [
  {
    role: 'user',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'text', text: 'What is this?' },
    ],
  },
];
const ofType = ({ events }: PeerAnswer, type: string) =>
  events.filter((event) => event.type === type);

/** Images, options and errors, from the same file as `llamaAnthropic`. */
export const llamaMessages: PeerSuite = {
  ...llamaAnthropic,
  cases: [
    {
      id: 'llama-messages-image',
      test: 'test_anthropic_vision_base64_with_multimodal_model',
      users: 'A model with vision takes an image as base64.',
      request: ask({ model: vision, messages: image(redPixel) }),
      expect: { body: { type: 'message', content: [{ type: 'text', text }] } },
    },
    {
      id: 'llama-messages-image-blind',
      test: 'test_anthropic_vision_format_accepted',
      users: 'An image for a model without vision is a 500.',
      request: ask({ messages: image(redPixel) }),
      expect: { status: 400, body: anthropicError('invalid_request_error', /can't see images/) },
      differs: 'It is a 400, as the request is wrong, and clients repeat a 500.',
    },
    {
      id: 'llama-messages-stop',
      test: 'test_anthropic_stop_sequences',
      users: 'A stop sequence ends the message.',
      request: ask({ stop_sequences: ['help', 'END'] }),
      expect: {
        body: {
          stop_reason: 'stop_sequence',
          stop_sequence: 'help',
          content: [{ text: /How can I $/ }],
        },
      },
    },
    ...(
      [
        ['temperature', { temperature: 0.5 }],
        ['top_p', { top_p: 0.9 }],
        ['top_k', { top_k: 40 }],
        ['thinking', { thinking: { type: 'enabled', budget_tokens: 8 } }],
        ['metadata', { metadata: { user_id: 'test_user_123' } }],
      ] as const
    ).map(([name, more]) => ({
      id: `llama-messages-${name}`,
      test: `test_anthropic_${name}`,
      users: `\`${name}\` is accepted.`,
      request: ask(more),
      expect: message,
    })),
    {
      id: 'llama-messages-missing',
      test: 'test_anthropic_missing_messages',
      users: 'A request without messages is an error.',
      request: ask({ messages: undefined }),
      expect: { status: 400, body: anthropicError('invalid_request_error', /messages/) },
    },
    {
      id: 'llama-messages-empty',
      test: 'test_anthropic_empty_messages',
      users: 'An empty list of messages is answered.',
      request: ask({ messages: [] }),
      expect: { status: 400, body: anthropicError('invalid_request_error', /messages/) },
      differs: "Anthropic's API refuses it, too: there is nothing to answer.",
    },
    {
      id: 'llama-messages-format',
      test: 'test_anthropic_vs_openai_different_response_format',
      users: "A message has none of OpenAI's fields.",
      request: ask(),
      expect: { body: { type: 'message' }, absent: ['object', 'choices', 'usage.prompt_tokens'] },
    },
    {
      id: 'llama-messages-thinking-stream',
      test: 'test_anthropic_thinking_with_reasoning_model',
      users: 'Thinking is the first block, and ends with a signature.',
      request: ask({
        max_tokens: 128,
        stream: true,
        thinking: { type: 'enabled', budget_tokens: 64 },
      }),
      expect: {
        some: { type: 'content_block_start', index: 0, content_block: { type: 'thinking' } },
        checks: [
          [
            'has a signature',
            (answer) =>
              ofType(answer, 'content_block_delta').some(
                ({ delta }) => delta.type === 'signature_delta',
              ),
          ],
          [
            'has its text at index 1',
            (answer) =>
              ofType(answer, 'content_block_start').some(
                ({ index, content_block: block }) => index === 1 && block.type === 'text',
              ),
          ],
        ],
      },
    },
    {
      id: 'llama-messages-thinking-blocks',
      test: 'test_anthropic_thinking_with_reasoning_model',
      users: 'A message with thinking has a block of thinking and one of text.',
      request: ask({ max_tokens: 128, thinking: { type: 'enabled', budget_tokens: 64 } }),
      expect: {
        body: {
          content: [
            { type: 'thinking', thinking: text, signature: text },
            { type: 'text', text },
          ],
        },
      },
    },
  ],
};
