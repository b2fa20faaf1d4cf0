import * as z from 'zod';

export const permissionSchema = z
  .enum([
    'chat',
    'embeddings',
    'models:read',
    'models:write',
    'plugins',
    'ephemeral-mcp',
    'metrics',
    'admin',
  ])
  .meta({ id: 'Permission', description: 'What a token allows; `admin` implies all others.' });
export type Permission = z.infer<typeof permissionSchema>;
