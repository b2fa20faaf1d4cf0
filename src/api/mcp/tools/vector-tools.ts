import * as z from 'zod';
import { embed } from '../../../chat/embed.ts';
import { rerank } from '../../../chat/rerank.ts';
import { fractionSchema, textSchema, tokenCountSchema } from '../../../kernel/field.ts';
import { createEmbeddingOpenAi } from '../../openai/embeddings/embedding-schema.ts';
import { rerank as rerankRoute } from '../../openai/embeddings/rerank-schema.ts';
import { defineTool } from '../tool.ts';

/** Low, since the result contains the vectors twice, as text and as structured content. */
const maxTexts = 64;

const modelSchema = (type: 'embedding' | 'reranker') =>
  z
    .string()
    .max(512)
    .optional()
    .describe(`Model of the type \`${type}\`; the only loaded one if absent.`);

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

export const embedTool = defineTool({
  name: 'embed',
  title: 'Embed texts',
  description:
    'Converts texts to vectors with an embedding model, to compare them: the closer their directions, the closer their meaning.',
  permission: createEmbeddingOpenAi.permission,
  annotations,
  input: z.strictObject({
    model: modelSchema('embedding'),
    texts: z.array(textSchema.min(1)).min(1).max(maxTexts),
  }),
  output: z.object({
    model: z.string(),
    vectors: z.array(z.array(z.number())).describe('One for each text, in their order.'),
    input_tokens: tokenCountSchema,
  }),
  run: async ({ model, texts }, { services, context, report }) => {
    report('Embedding');
    const { selection, vectors, promptTokens } = await embed(
      services,
      { model, inputs: texts },
      context,
    );
    return {
      model: selection.model.key,
      vectors: vectors.map((vector) => [...vector]),
      input_tokens: promptTokens,
    };
  },
});

export const rankTool = defineTool({
  name: 'rank',
  title: 'Rank documents',
  description: 'Sorts texts by their relevance to a query, with a reranking model.',
  permission: rerankRoute.permission,
  annotations,
  input: z.strictObject({
    model: modelSchema('reranker'),
    query: textSchema.min(1),
    documents: z.array(textSchema).min(1).max(1000),
    limit: z.int().min(1).max(1000).optional().describe('Number of results; all if absent.'),
  }),
  output: z.object({
    model: z.string(),
    results: z
      .array(
        z.object({
          index: z.int().nonnegative().describe('Position in `documents`, from 0.'),
          relevance: fractionSchema,
        }),
      )
      .describe('Most relevant first.'),
    input_tokens: tokenCountSchema,
  }),
  run: async ({ model, query, documents, limit }, { services, context, report }) => {
    report('Ranking');
    const { selection, ranking, promptTokens } = await rerank(
      services,
      { model, query, documents },
      context,
    );
    return {
      model: selection.model.key,
      results: ranking.slice(0, limit),
      input_tokens: promptTokens,
    };
  },
});
