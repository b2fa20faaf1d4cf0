import * as z from 'zod';
import { isoTimeSchema, modelIdentifierSchema } from '../../kernel/field.ts';
import { defineRoute } from '../kit/route.ts';
import * as named from '../kit/named.ts';

const supportSchema = named.object('AnthropicCapabilitySupport', { supported: z.boolean() });

const exampleModel = {
  type: 'model',
  id: 'hearth/starter-chat',
  display_name: 'starter-chat',
  created_at: '2026-11-02T11:19:05.000Z',
  max_input_tokens: 4096,
  max_tokens: 4096,
  capabilities: {
    image_input: { supported: false },
    structured_outputs: { supported: true },
    thinking: { supported: true },
  },
  line: null,
  lifecycle: 'active',
  deprecated_at: null,
  retires_at: null,
};

const modelSchema = named.object('AnthropicModel', [exampleModel], {
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: isoTimeSchema.describe('Time at which the server started.'),
  max_input_tokens: z
    .int()
    .describe('The context length of the loaded model, or the one that it was trained for.'),
  max_tokens: z.int().describe('The same: prompt and answer share the context.'),
  capabilities: named.object('AnthropicModelCapabilities', {
    image_input: supportSchema,
    structured_outputs: supportSchema,
    thinking: supportSchema,
  }),
  line: z.null(),
  lifecycle: z.literal('active'),
  deprecated_at: z.null(),
  retires_at: z.null(),
});
export type AnthropicModel = z.infer<typeof modelSchema>;

const exampleModelList = {
  data: [exampleModel],
  has_more: false,
  first_id: exampleModel.id,
  last_id: exampleModel.id,
};

export const listModelsAnthropic = defineRoute('GET /v1/models', {
  operationId: 'listModelsAnthropic',
  summary: 'List the models on disk',
  permission: 'models:read',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(1000).default(20),
    after_id: modelIdentifierSchema.optional().describe('Models after this one.'),
    before_id: modelIdentifierSchema.optional().describe('Models before this one.'),
  }),
  result: named.object('AnthropicModelList', [exampleModelList], {
    data: z.array(modelSchema),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  }),
});

export const getModelAnthropic = defineRoute('GET /v1/models/{model...}', {
  operationId: 'getModelAnthropic',
  summary: 'Get a model',
  permission: 'models:read',
  params: z.object({ model: modelIdentifierSchema }),
  result: modelSchema,
  errors: ['model_not_found'],
});
