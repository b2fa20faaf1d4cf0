import { isoTimeSchema } from '../field.ts';
import { loadConfigSchema } from '../v1/model.ts';
import { defineRoute, z } from '../route.ts';

export const getHealth = defineRoute({
  method: 'get',
  path: '/health',
  operationId: 'getHealth',
  summary: 'Whether the server is alive',
  tag: 'server',
  permission: null,
  result: z
    .object({
      status: z.literal('ok'),
      home_id: z
        .string()
        .optional()
        .describe('Random id of the home folder. Commands compare it with the id of their own.'),
    })
    .openapi('Health'),
  errors: [],
});

export const getReadiness = defineRoute({
  method: 'get',
  path: '/ready',
  operationId: 'getReadiness',
  summary: 'Whether the server can take work: its store answers and it is not stopping',
  tag: 'server',
  permission: null,
  result: z.object({ status: z.literal('ready') }).openapi('Readiness'),
  errors: ['internal', 'shutting_down'],
});

const instanceStatusSchema = z
  .object({
    id: z.string(),
    model: z.string(),
    type: z.enum(['llm', 'embedding']),
    state: z
      .enum(['waiting', 'loading', 'ready'])
      .describe('`waiting`: in line for memory, of which it holds none yet.'),
    loaded_by: z
      .enum(['name', 'request'])
      .describe('`name`: somebody asked for it, and it stays; `request`: a request needed it.'),
    pinned: z.boolean().describe('Kept by `models.pinned`.'),
    config: loadConfigSchema,
    active_requests: z.int(),
    queued_requests: z.int(),
    estimated_bytes: z.int().describe('Memory that is set aside for it.'),
    resident_bytes: z.int().optional(),
    loaded_at: isoTimeSchema.optional(),
    ttl_seconds: z.int().optional(),
    idle_seconds: z.number().optional(),
  })
  .openapi('InstanceStatus');
export type InstanceStatus = z.infer<typeof instanceStatusSchema>;

export const serverStatusSchema = z
  .object({
    version: z.string(),
    pid: z.int(),
    started_at: isoTimeSchema,
    home: z.string(),
    runtime: z
      .object({ name: z.string(), version: z.string(), supported_formats: z.array(z.string()) })
      .nullable(),
    memory: z.object({
      resident_bytes: z.int(),
      available_bytes: z.int(),
      reserved_bytes: z
        .int()
        .describe('Set aside for instances that are loaded, load, or still stop.'),
      limit_bytes: z.int().optional().describe('`models.memoryLimitBytes`.'),
    }),
    instances: z.array(instanceStatusSchema),
  })
  .openapi('ServerStatus');

export const getStatus = defineRoute({
  method: 'get',
  path: '/api/v1/status',
  operationId: 'getStatus',
  summary: 'What the server runs at present',
  tag: 'v1',
  permission: 'models:read',
  result: serverStatusSchema,
  errors: [],
});
