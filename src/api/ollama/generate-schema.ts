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

const exampleGenerateRequest = { model: 'hearth/starter-chat', prompt: 'Hello!', stream: false };

const requestSchema = named.looseObject('OllamaGenerateRequest', [exampleGenerateRequest], {
  model: ollamaModelNameSchema,
  prompt: textSchema.nullish().describe('Without a prompt the model is only loaded.'),
  suffix: textSchema.nullish().describe('Text after the gap to fill.'),
  system: textSchema.nullish(),
  images: ollamaImagesSchema,
  raw: z.boolean().nullish().describe('Continue the prompt without a chat template.'),
  ...ollamaGenerationFields,
});
export type OllamaGenerateRequest = z.infer<typeof requestSchema>;

const exampleAnswer = {
  ...exampleOllamaAnswer,
  response: 'Hello! How can I help you?',
};

export const ollamaGenerateAnswerSchema = named.object('OllamaGenerateAnswer', [exampleAnswer], {
  ...ollamaAnswerFields,
  response: z.string(),
  thinking: z.string().optional().describe('The reasoning of the model.'),
});
export type OllamaGenerateAnswer = z.infer<typeof ollamaGenerateAnswerSchema>;

export const generateOllama = defineRoute('POST /api/generate', {
  operationId: 'generateOllama',
  summary: 'Answer or continue a prompt',
  permission: 'chat',
  body: requestSchema,
  result: ollamaGenerateAnswerSchema,
  lines: named.union('OllamaGenerateLine', [ollamaGenerateAnswerSchema, ollamaErrorSchema]),
  errors: [...chatErrors, 'unsupported_reasoning', 'infill_unsupported'],
});
