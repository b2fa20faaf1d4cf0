import * as z from 'zod';
import { fractionSchema } from '../../kernel/field.ts';
import * as named from './named.ts';

const errorFields = {
  type: z.string().describe('Kind of error.'),
  message: z.string().describe('Names the value that was wrong and what is allowed.'),
};
const loadingSchema = z
  .object({ progress: fractionSchema })
  .meta({ id: 'LoadProgress', description: 'Progress of the load that the request waited for.' });

const errorDetailSchema = named.object('ErrorDetail', {
  ...errorFields,
  code: z.string().optional().describe('One of the codes of the error reference.'),
  param: z.string().optional().describe('JSON path of the field at fault.'),
  loading: loadingSchema.optional(),
});
export type ErrorDetail = z.infer<typeof errorDetailSchema>;

/** Error body of v1 and of the server's own endpoints. */
export const errorBodySchema = named.object('Error', { error: errorDetailSchema });
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Error body of the OpenAI-compatible APIs. */
export const openAiErrorBodySchema = named.object('OpenAiError', {
  error: named.object('OpenAiErrorDetail', {
    ...errorFields,
    param: z.string().nullable().describe('JSON path of the field at fault.'),
    code: z.string().nullable().describe('One of the codes of the error reference.'),
    loading: loadingSchema.optional(),
  }),
});

/** Schema of OpenAI-compatible stream data: a chunk or an error. */
export const openAiEventSchema = <Chunk extends z.ZodType>(chunk: Chunk, id: string) =>
  z.union([chunk, openAiErrorBodySchema]).meta({
    id,
    description: 'A part of the answer. If the generation fails, the last one is the error.',
    examples: chunk.meta()?.['examples'],
  });
