import * as z from 'zod';
import { generationErrors } from '../../kernel/errors/error-groups.ts';
import { dimensionsSchema, textSchema } from '../../kernel/field.ts';
import { defineRoute } from '../kit/route.ts';
import {
  ollamaKeepAliveSchema,
  ollamaModelNameSchema,
  ollamaOptionsSchema,
  ollamaStatisticsFields,
} from './fields-schema.ts';
import * as named from '../kit/named.ts';

const commonFields = {
  model: ollamaModelNameSchema,
  options: ollamaOptionsSchema,
  keep_alive: ollamaKeepAliveSchema,
};
const vectorSchema = z.array(z.number());

const exampleEmbeddings = {
  model: 'hearth/starter-embed',
  embeddings: [[0.0421, -0.1187, 0.0093]],
  total_duration: 9_000_000,
  load_duration: 0,
  prompt_eval_count: 8,
};

const exampleEmbedRequest = { model: 'hearth/starter-embed', input: 'The sea is calm at dawn.' };

export const embedOllama = defineRoute('POST /api/embed', {
  operationId: 'embedOllama',
  summary: 'Embed texts as vectors',
  permission: 'embeddings',
  body: named.looseObject('OllamaEmbedRequest', [exampleEmbedRequest], {
    ...commonFields,
    input: z
      .union([textSchema, z.array(textSchema).max(2048)])
      .nullish()
      .meta({
        id: 'OllamaEmbedInput',
        description: 'A text or a list of texts; without them the model is only loaded.',
      }),
    dimensions: dimensionsSchema,
  }),
  result: named.object('OllamaEmbeddings', [exampleEmbeddings], {
    model: z.string().describe('As the request names it.'),
    embeddings: z.array(vectorSchema),
    total_duration: ollamaStatisticsFields.total_duration,
    load_duration: ollamaStatisticsFields.load_duration,
    prompt_eval_count: ollamaStatisticsFields.prompt_eval_count,
  }),
  errors: generationErrors,
});

export const embedOneOllama = defineRoute('POST /api/embeddings', {
  operationId: 'embedOneOllama',
  summary: 'Embed one text as a vector',
  description: 'The older form of `/api/embed`.',
  permission: 'embeddings',
  body: z.looseObject({ ...commonFields, prompt: textSchema }).meta({
    id: 'OllamaEmbedOneRequest',
    examples: [{ model: 'hearth/starter-embed', prompt: 'The sea is calm at dawn.' }],
  }),
  result: z
    .object({ embedding: vectorSchema })
    .meta({ id: 'OllamaEmbedding', examples: [{ embedding: [0.0421, -0.1187, 0.0093] }] }),
  errors: generationErrors,
});
