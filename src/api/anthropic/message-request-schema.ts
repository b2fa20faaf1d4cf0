import * as z from 'zod';
import {
  fractionSchema,
  modelIdentifierSchema,
  presetNameSchema,
  textSchema,
  topKSchema,
} from '../../kernel/field.ts';
import { jsonObjectSchema, messageParamSchema, textContentSchema } from './content-schema.ts';
import * as named from '../kit/named.ts';

const toolSchema = named.looseObject('AnthropicTool', {
  type: z
    .string()
    .nullish()
    .describe('"custom" or absent. Tools that Anthropic defines or runs are refused.'),
  name: z.string().min(1).max(512).nullish(),
  description: textSchema.nullish(),
  input_schema: jsonObjectSchema.nullish().describe('JSON schema of the input; required.'),
});
export type AnthropicTool = z.infer<typeof toolSchema>;

const parallelField = { disable_parallel_tool_use: z.boolean().nullish() };
const toolChoiceSchema = named.discriminatedUnion('AnthropicToolChoice', 'type', [
  named.looseObject('AnthropicToolChoiceAuto', { type: z.literal('auto'), ...parallelField }),
  named.looseObject('AnthropicToolChoiceAny', { type: z.literal('any'), ...parallelField }),
  named.looseObject('AnthropicToolChoiceTool', {
    type: z.literal('tool'),
    name: z.string().max(512),
    ...parallelField,
  }),
  named.looseObject('AnthropicToolChoiceNone', { type: z.literal('none') }),
]);

const displaySchema = z
  .enum(['summarized', 'omitted'])
  .nullish()
  .describe('`omitted`: blocks of thinking have no text.');
const thinkingSchema = z
  .discriminatedUnion('type', [
    named.looseObject('AnthropicThinkingEnabled', {
      type: z.literal('enabled'),
      budget_tokens: z
        .int()
        .min(1)
        .max(2 ** 31 - 1)
        .describe('Tokens after which the model must answer; less than `max_tokens`.'),
      display: displaySchema,
    }),
    named.looseObject('AnthropicThinkingAdaptive', {
      type: z.literal('adaptive'),
      display: displaySchema,
    }),
    named.looseObject('AnthropicThinkingDisabled', { type: z.literal('disabled') }),
  ])
  .meta({ id: 'AnthropicThinking', description: 'Without it the model does not think.' });

const outputConfigSchema = named.looseObject('AnthropicOutputConfig', {
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: named
    .looseObject('AnthropicJsonFormat', {
      type: z.literal('json_schema'),
      schema: jsonObjectSchema,
    })
    .nullish(),
});

/** Fields that determine the prompt. */
const promptFields = {
  model: modelIdentifierSchema,
  messages: z.array(messageParamSchema).min(1).max(100_000),
  preset: presetNameSchema,
  system: textContentSchema.nullish(),
  tools: z.array(toolSchema).max(1000).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  thinking: thinkingSchema.nullish(),
  output_config: outputConfigSchema.nullish(),
};

const examplePrompt = {
  model: 'hearth/starter-chat',
  system: 'You answer in one sentence.',
  messages: [{ role: 'user', content: 'Write a haiku about the sea.' }],
};

export const countTokensRequestSchema = z
  .looseObject(promptFields)
  .meta({ id: 'AnthropicCountTokensRequest', examples: [examplePrompt] });
export type AnthropicCountTokensRequest = z.infer<typeof countTokensRequestSchema>;

export const messageRequestSchema = z
  .looseObject({
    ...promptFields,
    max_tokens: z
      .int()
      .min(1)
      .max(2 ** 31 - 1),
    stop_sequences: z.array(textSchema.min(1)).max(64).nullish(),
    stream: z.boolean().nullish(),
    temperature: fractionSchema.nullish(),
    top_p: fractionSchema.nullish(),
    top_k: topKSchema.nullish(),
    metadata: jsonObjectSchema.nullish().describe('Accepted, and not kept.'),
  })
  .meta({ id: 'AnthropicMessageRequest', examples: [{ ...examplePrompt, max_tokens: 256 }] });
export type AnthropicMessageRequest = z.infer<typeof messageRequestSchema>;
