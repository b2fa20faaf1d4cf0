import * as z from 'zod';
import {
  fractionSchema,
  modelIdentifierSchema,
  presetNameSchema,
  textSchema,
  topKSchema,
} from '../../kernel/field.ts';
import { jsonObjectSchema, messageParamSchema, textContentSchema } from './content-schema.ts';

const toolSchema = z
  .looseObject({
    type: z
      .string()
      .nullish()
      .describe('"custom" or absent. Tools that Anthropic defines or runs are refused.'),
    name: z.string().min(1).max(512).nullish(),
    description: textSchema.nullish(),
    input_schema: jsonObjectSchema.nullish().describe('JSON schema of the input; required.'),
  })
  .meta({ id: 'AnthropicTool' });
export type AnthropicTool = z.infer<typeof toolSchema>;

const parallelField = { disable_parallel_tool_use: z.boolean().nullish() };
const toolChoiceSchema = z
  .discriminatedUnion('type', [
    z
      .looseObject({ type: z.literal('auto'), ...parallelField })
      .meta({ id: 'AnthropicToolChoiceAuto' }),
    z
      .looseObject({ type: z.literal('any'), ...parallelField })
      .meta({ id: 'AnthropicToolChoiceAny' }),
    z
      .looseObject({ type: z.literal('tool'), name: z.string().max(512), ...parallelField })
      .meta({ id: 'AnthropicToolChoiceTool' }),
    z.looseObject({ type: z.literal('none') }).meta({ id: 'AnthropicToolChoiceNone' }),
  ])
  .meta({ id: 'AnthropicToolChoice' });

const displaySchema = z
  .enum(['summarized', 'omitted'])
  .nullish()
  .describe('`omitted`: blocks of thinking have no text.');
const thinkingSchema = z
  .discriminatedUnion('type', [
    z
      .looseObject({
        type: z.literal('enabled'),
        budget_tokens: z
          .int()
          .min(1)
          .max(2 ** 31 - 1)
          .describe('Tokens after which the model must answer; less than `max_tokens`.'),
        display: displaySchema,
      })
      .meta({ id: 'AnthropicThinkingEnabled' }),
    z
      .looseObject({ type: z.literal('adaptive'), display: displaySchema })
      .meta({ id: 'AnthropicThinkingAdaptive' }),
    z.looseObject({ type: z.literal('disabled') }).meta({ id: 'AnthropicThinkingDisabled' }),
  ])
  .meta({ id: 'AnthropicThinking', description: 'Without it the model does not think.' });

const outputConfigSchema = z
  .looseObject({
    effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
    format: z
      .looseObject({ type: z.literal('json_schema'), schema: jsonObjectSchema })
      .meta({ id: 'AnthropicJsonFormat' })
      .nullish(),
  })
  .meta({ id: 'AnthropicOutputConfig' });

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
