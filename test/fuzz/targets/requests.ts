import type * as z from 'zod';
import { messageRequestSchema } from '../../../src/api/anthropic/message-request-schema.ts';
import { toConversation } from '../../../src/api/anthropic/to-conversation.ts';
import { toTurnRequest as fromAnthropic } from '../../../src/api/anthropic/to-turn-request.ts';
import { parseJsonBody } from '../../../src/api/kit/body/json-body.ts';
import { validate } from '../../../src/api/kit/validation/validation-error.ts';
import { toTurnRequest as fromOllama } from '../../../src/api/ollama/chat.ts';
import { chatOllama } from '../../../src/api/ollama/chat-schema.ts';
import { createChatCompletionOpenAi } from '../../../src/api/openai/chat/chat-completion-schema.ts';
import { toTurnRequest as fromChatCompletion } from '../../../src/api/openai/chat/to-turn-request.ts';
import { responseRequestSchema } from '../../../src/api/openai/responses/response-request-schema.ts';
import { toTurnRequest as fromResponse } from '../../../src/api/openai/responses/to-turn-request.ts';
import { chatRequestSchema } from '../../../src/api/v1/chat/chat-schema.ts';
import { toTurnRequest as fromChat } from '../../../src/api/v1/chat/to-turn-request.ts';
import { conversationExportSchema } from '../../../src/api/v1/conversations/conversation-export-schema.ts';
import { HearthError } from '../../../src/kernel/errors/errors.ts';
import { modelEntry } from '../../setup/models/model-entry.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const model = modelEntry();
const [variant] = model.variants;
if (variant === undefined) throw new Error('A model has a variant.');
const named = { identifier: model.key, selection: { model, variant } };

/** A schema and a function that maps the validated body. */
function route<Schema extends z.ZodType>(schema: Schema, map: (body: z.output<Schema>) => unknown) {
  return { schema, run: (body: unknown) => map(validate(schema, body)) };
}

const routes = [
  route(chatRequestSchema, fromChat),
  route(createChatCompletionOpenAi.body, (body) => fromChatCompletion(body, undefined)),
  route(responseRequestSchema, (body) => fromResponse(body, undefined)),
  route(messageRequestSchema, (body) => fromAnthropic(body, toConversation(body.messages), model)),
  route(chatOllama.body, (body) => fromOllama(body, named)),
  route(conversationExportSchema, () => {}),
];

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Hello!' }] },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'a', content: '1' },
];
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
const more: readonly (readonly [number, object])[] = [
  [1, { model: 'a/b', messages, tools: [tool], tool_choice: 'auto', seed: 7, stop: ['a'] }],
  [2, { model: 'a/b', input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] }],
  [3, { model: 'a/b', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }],
  [4, { model: 'a/b', messages: [{ role: 'user', content: 'Hi' }], options: { seed: 2 } }],
];

/** JSON bodies of the APIs: parsed, validated and mapped. The first byte chooses the API. */
export const requests: FuzzTarget = {
  seeds: async () => {
    const examples = routes.flatMap(({ schema }, index) =>
      ((schema.meta()?.['examples'] ?? []) as object[]).map((body) => [index, body] as const),
    );
    return [...examples, ...more].map(([index, body]) =>
      Buffer.concat([Buffer.from([index]), Buffer.from(JSON.stringify(body))]),
    );
  },
  words: [
    'messages',
    'input',
    'content',
    'role',
    'assistant',
    'tool_calls',
    'tool_result',
    'tool_use_id',
    'function_call_output',
    'item_reference',
    'image_url',
    'data_url',
    'data:image/png;base64,AAAA',
    'response_format',
    'json_schema',
    'grammar',
    'guided_json',
    'stop',
    'logit_bias',
    'thinking',
    'reasoning',
    'metadata',
    'keep_alive',
    'previous_response_id',
    'conversation',
    'integrations',
    'seed',
  ],
  run: (input) => {
    const [first = 0] = input;
    routes[first % routes.length]?.run(parseJsonBody(input.subarray(1)));
  },
  isDeclared: (error) => error instanceof HearthError,
};
