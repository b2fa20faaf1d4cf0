import * as z from 'zod';
import { isoTimeSchema } from '../../../kernel/field.ts';
import { chosenConfigSchema, placementSchema } from '../models/load-config-schema.ts';
import { modelTypeSchema } from '../models/model-schema.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

export const getMetrics = defineRoute('GET /metrics', {
  operationId: 'getMetrics',
  summary: 'Get the metrics of the server for Prometheus',
  description:
    'In the text format of Prometheus, or as OpenMetrics if the `Accept` header asks for it. ' +
    'Callers without a token have the permission `metrics` if no token is required.',
  permission: 'metrics',
  headers: z.object({ accept: z.string().optional() }),
  resultType: 'text/plain',
  result: z.string().meta({
    examples: ['# TYPE hearth_requests_running gauge\nhearth_requests_running 1\n'],
  }),
});

export const instanceStatusSchema = named.object('InstanceStatus', {
  id: z.string(),
  model: z.string(),
  type: modelTypeSchema,
  state: z
    .enum(['waiting', 'loading', 'ready'])
    .describe('`waiting`: queued until enough memory is free.'),
  loaded_by: z
    .enum(['name', 'request'])
    .describe(
      '`name`: loaded by `POST /api/v1/models/load` or `models.preload`; `request`: loaded just in time.',
    ),
  profile: z.string().optional().describe('Profile that has this instance of its own.'),
  pinned: z.boolean().describe('Whether the settings of its model keep it loaded.'),
  config: chosenConfigSchema,
  placement: placementSchema.optional(),
  changed_settings: z
    .array(z.string())
    .optional()
    .describe('Options whose values in the settings of its model changed since its load.'),
  active_requests: z.int(),
  queued_requests: z.int(),
  estimated_bytes: z.int().describe('Memory reserved for it.'),
  resident_bytes: z.int().optional(),
  chosen_speculation: z
    .enum(['off', 'ngram', 'mtp', 'draft'])
    .optional()
    .describe('How it drafts tokens if `config.speculation` is `auto`.'),
  loaded_at: isoTimeSchema.optional(),
  ttl_seconds: z.int().optional(),
  idle_seconds: z.number().optional(),
});
export type InstanceStatus = z.infer<typeof instanceStatusSchema>;

const exampleServerStatus = {
  version: '0.1.0',
  pid: 4711,
  started_at: '2026-11-02T09:30:00.000Z',
  home: '/home/ada/.hearth',
  runtime: {
    name: 'llama.cpp-linux-x64-cpu',
    version: 'b11549',
    supported_formats: ['gguf'],
  },
  memory: {
    resident_bytes: 97_026_048,
    available_bytes: 12_884_901_888,
    reserved_bytes: 127_826_592,
  },
  instances: [
    {
      id: 'hearth/starter-chat',
      model: 'hearth/starter-chat',
      type: 'llm',
      state: 'ready',
      loaded_by: 'request',
      pinned: false,
      config: { context_length: 4096, parallel: 4 },
      active_requests: 1,
      queued_requests: 0,
      estimated_bytes: 127_826_592,
      resident_bytes: 119_853_056,
      loaded_at: '2026-11-02T09:31:00.000Z',
      ttl_seconds: 3600,
      idle_seconds: 0,
    },
  ],
};

export const serverStatusSchema = named.object('ServerStatus', [exampleServerStatus], {
  version: z.string(),
  pid: z.int(),
  started_at: isoTimeSchema,
  home: z.string(),
  runtime: named
    .object('RuntimeStatus', {
      name: z.string(),
      version: z.string(),
      supported_formats: z.array(z.string()),
    })
    .nullable(),
  memory: named.object('MemoryStatus', {
    resident_bytes: z.int(),
    available_bytes: z.int(),
    reserved_bytes: z
      .int()
      .describe('Reserved for instances that are loaded, loading or stopping.'),
    limit_bytes: z.int().optional().describe('`models.memoryLimitBytes`.'),
  }),
  instances: z.array(instanceStatusSchema),
});

export const getStatus = defineRoute('GET /api/v1/status', {
  operationId: 'getStatus',
  summary: 'Get the state of the server and its instances',
  permission: 'models:read',
  result: serverStatusSchema,
});

export const stopServer = defineRoute('POST /api/v1/server/stop', {
  operationId: 'stopServer',
  summary: 'Stop the server',
  description:
    'The server finishes the requests in flight, as after SIGTERM, for at most `limits.shutdownSeconds`. ' +
    'Only the owner of the home folder may do this: `hearth server stop` reads a token from the home folder.',
  permission: 'admin',
  result: z
    .object({ pid: z.int().describe('Process that exits.'), stopping: z.literal(true) })
    .meta({ id: 'StoppingServer', examples: [{ pid: 4711, stopping: true }] }),
});
