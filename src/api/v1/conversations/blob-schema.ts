import * as z from 'zod';
import { defineRoute } from '../../kit/route.ts';

const exampleHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export const getBlob = defineRoute({
  method: 'get',
  path: '/api/v1/blobs/{sha256}',
  operationId: 'getBlob',
  summary: 'Get a stored image by the SHA-256 of its bytes',
  description: 'Images of the responses that the caller can read.',
  permission: 'chat',
  params: z.object({
    sha256: z
      .string()
      .min(1)
      .max(512)
      .meta({ examples: [exampleHash] }),
  }),
  result: z.void(),
  mediaTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/octet-stream'],
  errors: ['blob_not_found'],
});
