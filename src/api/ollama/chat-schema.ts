import * as z from 'zod';
import { chatErrors } from '../../kernel/errors/error-groups.ts';
import { textSchema } from '../../kernel/field.ts';
import { defineRoute } from '../kit/route.ts';
import {
  exampleOllamaAnswer,
  ollamaAnswerFields,
  ollamaErrorSchema,
  ollamaGenerationFields,
  ollamaImagesSchema,
  ollamaModelNameSchema,
} from './fields-schema.ts';
import * as named from '../kit/named.ts';

const argumentsSchema = z.record(z.string(), z.unknown());

const calledFunctionSchema = named.looseObject('OllamaCalledFunction', {
  name: z.string().min(1).max(512),
  arguments: argumentsSchema.nullish(),
});

const requestToolCallSchema = named.looseObject('OllamaRequestToolCall', {
  id: z.string().max(512).nullish(),
  function: calledFunctionSchema,
});

const roles = ['system', 'user', 'assistant', 'tool'] as const;
/** Ollama ignores the case of a role. */
const roleSchema = z
  .string()
  .overwrite((role) => role.toLowerCase())
  .pipe(z.enum(roles))
  .meta({ enum: roles });

const messageSchema = named.looseObject('OllamaMessage', {
  role: roleSchema,
  content: textSchema.nullish(),
  images: ollamaImagesSchema,
  tool_calls: z.array(requestToolCallSchema).max(256).nullish(),
  tool_name: z
    .string()
    .max(512)
    .nullish()
    .describe('Tool of a `tool` message; the order of the calls decides if it is absent.'),
  tool_call_id: z.string().max(512).nullish(),
});
export type OllamaMessage = z.infer<typeof messageSchema>;

const toolSchema = named.looseObject('OllamaTool', {
  type: z.literal('function').nullish(),
  function: named.looseObject('OllamaFunction', {
    name: z.string().min(1).max(512),
    description: textSchema.nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const exampleChatRequest = {
  model: 'hearth/starter-chat',
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: false,
};

const requestSchema = named.looseObject('OllamaChatRequest', [exampleChatRequest], {
  model: ollamaModelNameSchema,
  messages: z
    .array(messageSchema)
    .max(10_000)
    .nullish()
    .describe('The whole conversation; without messages the model is only loaded.'),
  tools: z.array(toolSchema).max(1024).nullish(),
  ...ollamaGenerationFields,
});
export type OllamaChatRequest = z.infer<typeof requestSchema>;

const answerMessageSchema = named.object('OllamaAnswerMessage', {
  role: z.literal('assistant'),
  content: z.string(),
  thinking: z.string().optional().describe('The reasoning of the model.'),
  tool_calls: z
    .array(
      named.object('OllamaToolCall', {
        id: z.string(),
        function: named.object('OllamaAnswerFunction', {
          index: z.int(),
          name: z.string(),
          arguments: argumentsSchema,
        }),
      }),
    )
    .optional(),
});
export type OllamaAnswerMessage = z.infer<typeof answerMessageSchema>;

const exampleChatAnswer = {
  ...exampleOllamaAnswer,
  message: { role: 'assistant', content: 'Hello! How can I help you?' },
};

export const ollamaChatAnswerSchema = named.object('OllamaChatAnswer', [exampleChatAnswer], {
  ...ollamaAnswerFields,
  message: answerMessageSchema,
});
export type OllamaChatAnswer = z.infer<typeof ollamaChatAnswerSchema>;

export const chatOllama = defineRoute('POST /api/chat', {
  operationId: 'chatOllama',
  summary: 'Answer a conversation',
  permission: 'chat',
  body: requestSchema,
  result: ollamaChatAnswerSchema,
  lines: named.union('OllamaChatLine', [ollamaChatAnswerSchema, ollamaErrorSchema]),
  errors: [...chatErrors, 'unsupported_reasoning'],
});
