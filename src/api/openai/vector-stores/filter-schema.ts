import * as z from 'zod';
import type { AttributeFilter, FileSearchOptions } from '../../../tools/file-search.ts';

const attributeValueSchema = z
  .union([z.string().max(512), z.number(), z.boolean()])
  .meta({ id: 'OpenAiAttributeValue' });

export const attributesSchema = z
  .record(z.string().min(1).max(64), attributeValueSchema)
  .refine((attributes) => Object.keys(attributes).length <= 16, 'It may have 16 keys at most')
  .meta({
    id: 'OpenAiAttributes',
    description: 'Values that filters compare; 16 keys at most.',
    maxProperties: 16,
  });

const comparisonSchema = z
  .looseObject({
    type: z.enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin']),
    key: z.string().min(1).max(64),
    value: z
      .union([attributeValueSchema, z.array(attributeValueSchema).min(1).max(1000)])
      .meta({ id: 'OpenAiFilterValue' }),
  })
  .meta({ id: 'OpenAiComparisonFilter', description: 'Compares an attribute of a file.' });

/** Maximum nesting of compound filters. */
const levels = 3;

function compoundOf(filter: z.ZodType<AttributeFilter>, level: number): z.ZodType<AttributeFilter> {
  const compound = z
    .looseObject({ type: z.enum(['and', 'or']), filters: z.array(filter).min(1).max(64) })
    .meta({ id: `OpenAiCompoundFilter${level}` });
  return z.union([comparisonSchema, compound]).meta({
    id: `OpenAiAttributeFilter${level}`,
    description: `Conditions on the attributes of files, ${level} deep at most.`,
  });
}

let nested: z.ZodType<AttributeFilter> = comparisonSchema;
for (let level = 1; level <= levels; level += 1) nested = compoundOf(nested, level);

const weightSchema = z.number().min(0).max(1000);

const rankingOptionsSchema = z
  .looseObject({
    ranker: z
      .string()
      .max(512)
      .nullish()
      .describe(
        'Key of a reranker of the library, which sorts the results again. The default, `auto`, leaves their order.',
      ),
    hybrid_search: z
      .looseObject({ embedding_weight: weightSchema, text_weight: weightSchema })
      .refine(
        ({ embedding_weight: embedding, text_weight: text }) => embedding + text > 0,
        'One of the weights must be greater than 0',
      )
      .nullish()
      .describe(
        'The weights of the scores by meaning and by words, both 1 by default. With `text_weight` 0, only the meaning counts.',
      ),
    score_threshold: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .describe(
        'Least score of a result: the weighted mean of the cosine of the vectors and the share of the words of the query that it has, or the score of the reranker.',
      ),
  })
  .meta({ id: 'OpenAiRankingOptions' });

/** Fields of a search, and of the tool that searches. */
export const searchFields = {
  max_num_results: z.int().min(1).max(50).nullish(),
  filters: nested.nullish(),
  ranking_options: rankingOptionsSchema.nullish(),
};
type SearchFields = z.infer<z.ZodObject<typeof searchFields>>;

const defaultResults = 10;

const withoutReranker: ReadonlySet<string> = new Set(['auto', 'none', 'default-2024-11-15']);

export function toSearchOptions(
  vectorStoreIds: readonly string[],
  { max_num_results: maxResults, filters, ranking_options: ranking }: SearchFields,
): FileSearchOptions {
  const { ranker, score_threshold: minScore, hybrid_search: hybrid } = ranking ?? {};
  return {
    vectorStoreIds,
    maxResults: maxResults ?? defaultResults,
    filter: filters ?? undefined,
    reranker: ranker == null || withoutReranker.has(ranker) ? undefined : ranker,
    minScore: minScore ?? undefined,
    hybrid: hybrid ? { embedding: hybrid.embedding_weight, text: hybrid.text_weight } : undefined,
  };
}
