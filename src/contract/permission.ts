import { z } from '@hono/zod-openapi';

/** What a token may allow; `admin` implies all others. */
export const permissionSchema = z.enum([
  'chat',
  'embeddings',
  'models:read',
  'models:write',
  'plugins',
  'ephemeral-mcp',
  'admin',
]);
export type Permission = z.infer<typeof permissionSchema>;
