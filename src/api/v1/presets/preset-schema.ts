import * as z from 'zod';
import { textSchema } from '../../../kernel/field.ts';
import { chatRequestSchema } from '../chat/chat-schema.ts';
import { recordRoutes } from './named-record-schema.ts';

const { shape } = chatRequestSchema;

/** The chat fields that a preset can set. */
export const presetFields = {
  model: shape.model
    .nullish()
    .describe('Model of requests that name none, in the APIs that allow this.'),
  system_prompt: textSchema.max(64_000).nullish(),
  temperature: shape.temperature,
  top_p: shape.top_p,
  top_k: shape.top_k,
  min_p: shape.min_p,
  repeat_penalty: shape.repeat_penalty,
  max_output_tokens: shape.max_output_tokens,
  reasoning: shape.reasoning,
  context_length: shape.context_length,
  truncation: shape.truncation,
  response_format: shape.response_format,
  integrations: shape.integrations
    .unwrap()
    .unwrap()
    .refine(
      (integrations) =>
        integrations.every((each) => typeof each === 'string' || !('headers' in each)),
      'A preset keeps no `headers`, which may have secrets',
    )
    .nullish()
    .describe('MCP servers whose tools the model may call; used by `/api/v1/chat` only.'),
};
const presetSchema = z.object(presetFields);
/** Defaults of a request. */
export type Preset = z.infer<typeof presetSchema>;

export const {
  list: listPresets,
  get: getPreset,
  put: putPreset,
  remove: deletePreset,
} = recordRoutes('preset', presetFields, {
  name: 'Poet',
  content: { system_prompt: 'You answer in rhymes.', temperature: 0.9 },
});
