import * as z from 'zod';
import { chatErrors } from '../../kernel/errors/error-groups.ts';
import { textSchema } from '../../kernel/field.ts';
import { defineRoute } from '../kit/route.ts';
import {
  exampleOllamaAnswer,
  ollamaAnswerFields,
  ollamaErrorSchema,
  ollamaFormatSchema,
  ollamaImagesSchema,
  ollamaKeepAliveSchema,
  ollamaLogprobFields,
  ollamaModelNameSchema,
  ollamaOptionsSchema,
  ollamaThinkSchema,
} from './fields-schema.ts';

const argumentsSchema = z.record(z.string(), z.unknown());

const calledFunctionSchema = z
  .looseObject({
    name: z.string().min(1).max(512),
    arguments: argumentsSchema.nullish(),
  })
  .meta({ id: 'OllamaCalledFunction' });

const requestToolCallSchema = z
  .looseObject({ id: z.string().max(512).nullish(), function: calledFunctionSchema })
  .meta({ id: 'OllamaRequestToolCall' });

const roles = ['system', 'user', 'assistant', 'tool'] as const;
/** Ollama ignores the case of a role. */
const roleSchema = z
  .string()
  .overwrite((role) => role.toLowerCase())
  .pipe(z.enum(roles))
  .meta({ enum: roles });

const messageSchema = z
  .looseObject({
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
  })
  .meta({ id: 'OllamaMessage' });
export type OllamaMessage = z.infer<typeof messageSchema>;

const toolSchema = z
  .looseObject({
    type: z.literal('function').nullish(),
    function: z
      .looseObject({
        name: z.string().min(1).max(512),
        description: textSchema.nullish(),
        parameters: z.record(z.string(), z.unknown()).nullish(),
      })
      .meta({ id: 'OllamaFunction' }),
  })
  .meta({ id: 'OllamaTool' });

const requestSchema = z
  .looseObject({
    model: ollamaModelNameSchema,
    messages: z
      .array(messageSchema)
      .max(10_000)
      .nullish()
      .describe('The whole conversation; without messages the model is only loaded.'),
    tools: z.array(toolSchema).max(1024).nullish(),
    stream: z.boolean().nullish().describe('Answer with lines of JSON; true if absent.'),
    format: ollamaFormatSchema,
    options: ollamaOptionsSchema,
    keep_alive: ollamaKeepAliveSchema,
    think: ollamaThinkSchema,
    ...ollamaLogprobFields,
  })
  .meta({
    id: 'OllamaChatRequest',
    examples: [
      {
        model: 'hearth/starter-chat',
        messages: [{ role: 'user', content: 'Hello!' }],
        stream: false,
      },
    ],
  });
export type OllamaChatRequest = z.infer<typeof requestSchema>;

const answerMessageSchema = z
  .object({
    role: z.literal('assistant'),
    content: z.string(),
    thinking: z.string().optional().describe('The reasoning of the model.'),
    tool_calls: z
      .array(
        z
          .object({
            id: z.string(),
            function: z
              .object({ index: z.int(), name: z.string(), arguments: argumentsSchema })
              .meta({ id: 'OllamaAnswerFunction' }),
          })
          .meta({ id: 'OllamaToolCall' }),
      )
      .optional(),
  })
  .meta({ id: 'OllamaAnswerMessage' });
export type OllamaAnswerMessage = z.infer<typeof answerMessageSchema>;

export const ollamaChatAnswerSchema = z
  .object({ ...ollamaAnswerFields, message: answerMessageSchema })
  .meta({
    id: 'OllamaChatAnswer',
    examples: [
      {
        ...exampleOllamaAnswer,
        message: { role: 'assistant', content: 'Hello! How can I help you?' },
      },
    ],
  });
export type OllamaChatAnswer = z.infer<typeof ollamaChatAnswerSchema>;

export const chatOllama = defineRoute('POST /api/chat', {
  operationId: 'chatOllama',
  summary: 'Answer a conversation',
  permission: 'chat',
  body: requestSchema,
  result: ollamaChatAnswerSchema,
  lines: z.union([ollamaChatAnswerSchema, ollamaErrorSchema]).meta({ id: 'OllamaChatLine' }),
  errors: [...chatErrors, 'unsupported_reasoning'],
});
