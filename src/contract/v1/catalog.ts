import { isoTimeSchema } from '../field.ts';
import { defineRoute, z } from '../route.ts';

const catalogModelSchema = z
  .object({
    id: z.string().describe('What `POST /api/v1/models/download` takes as `model`.'),
    source: z
      .enum(['catalog', 'hub'])
      .describe('From the list that comes with Hearth, or found on the model hub.'),
    repository: z.string().describe('`owner/name` on the model hub.'),
    url: z.string().describe('Of the repository; with it a download takes a `quantization`.'),
    type: z.enum(['llm', 'vlm', 'embedding']).optional(),
    quantization: z
      .string()
      .optional()
      .describe('The one that is downloaded unless asked otherwise.'),
    size_bytes: z.int().optional().describe('About what is downloaded, projector included.'),
    license: z.string().optional(),
    description: z.string().optional(),
    downloads: z.int().optional().describe('As the model hub counts them.'),
    likes: z.int().optional(),
    updated_at: isoTimeSchema.optional(),
    gated: z
      .boolean()
      .optional()
      .describe('Whether the model hub asks for an account that agreed to the terms.'),
  })
  .openapi('CatalogModel');
export type CatalogModelRecord = z.infer<typeof catalogModelSchema>;

export const searchCatalog = defineRoute({
  method: 'get',
  path: '/api/v1/models/catalog',
  operationId: 'searchCatalog',
  summary: 'Find models to download',
  description:
    'Without words the models that Hearth knows; with words those of them that match, then what the ' +
    'model hub finds. Where the hub does not answer, `warning` says so and the list is the rest.',
  tag: 'v1',
  permission: 'models:read',
  request: {
    query: z.strictObject({
      search: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
  },
  result: z
    .object({
      models: z.array(catalogModelSchema),
      warning: z
        .object({ type: z.string(), message: z.string(), code: z.string() })
        .optional()
        .describe('Why nothing of the model hub is listed.'),
    })
    .openapi('CatalogList'),
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value'],
});
