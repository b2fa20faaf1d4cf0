import * as z from 'zod';
import { isoTimeSchema, namesSchema, tokenCountSchema } from '../../../kernel/field.ts';
import * as named from '../../kit/named.ts';
import { defineRoute } from '../../kit/route.ts';
import { instanceStatusSchema } from './status-schema.ts';
import { downloadJobSchema } from '../downloads/download-schema.ts';
import { requestSummarySchema } from './request-schema.ts';

const event = <Type extends string, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  fields: Fields,
) => named.event(type, { time: isoTimeSchema, ...fields });

const instance = { instance_id: z.string(), model: z.string().describe('Key of its model.') };
const job = { job: downloadJobSchema };
const request = { request: requestSummarySchema };

/** Server-sent events of `GET /api/v1/events`. */
export const serverEventSchema = z
  .discriminatedUnion('type', [
    event('events.snapshot', {
      instances: z.array(instanceStatusSchema).optional().describe('Present with topic `models`.'),
      downloads: z
        .array(downloadJobSchema)
        .optional()
        .describe('The unfinished jobs; present with topic `downloads`.'),
      requests: z
        .array(requestSummarySchema)
        .optional()
        .describe('The running requests; present with topic `requests`.'),
    }),
    event('events.dropped', {
      count: z.int().describe('Events that were dropped because the client reads too slowly.'),
    }),
    event('instance.queued', { ...instance, estimated_bytes: z.int() }),
    event('instance.loading', { ...instance, estimated_bytes: z.int() }),
    event('instance.progress', { ...instance, progress: z.number().min(0).max(1) }),
    event('instance.ready', { ...instance, load_time_seconds: z.number() }),
    event('instance.failed', {
      ...instance,
      error: z.object({ code: z.string(), message: z.string() }),
    }),
    event('instance.evicted', {
      ...instance,
      cause: z
        .enum(['idle', 'memory', 'replaced'])
        .describe('Idle for its TTL; to make room for a load; by another instance or model.'),
      reason: z.string(),
    }),
    event('instance.unloaded', {
      ...instance,
      reason: z
        .string()
        .describe('`instance.evicted` with the same id comes before, if it was evicted.'),
    }),
    event('instance.crashed', { ...instance, reason: z.string() }),
    event('download.started', job),
    event('download.progress', job),
    event('download.paused', job),
    event('download.completed', job),
    event('download.failed', job),
    event('download.cancelled', { job_id: z.string() }),
    event('model.deleted', { model: z.string(), freed_bytes: z.int() }),
    event('request.started', request),
    event('request.progress', {
      id: z.string().describe('`id` of the request.'),
      phase: z.enum(['queued', 'loading', 'prompt', 'generating', 'tool']),
      completion_tokens: tokenCountSchema,
    }),
    event('request.finished', request),
  ])
  .meta({
    id: 'ServerEvent',
    description:
      'The first event is `events.snapshot`, unless `Last-Event-ID` continues an earlier stream. Clients must ' +
      'ignore types that they do not know.',
    examples: [
      {
        type: 'instance.ready',
        time: '2026-11-02T09:30:00.000Z',
        instance_id: 'hearth/starter-chat',
        model: 'hearth/starter-chat',
        load_time_seconds: 0.41,
      },
    ],
  });
export type ServerEvent = z.infer<typeof serverEventSchema>;

const topics = ['models', 'downloads', 'requests'] as const;
export type EventTopic = (typeof topics)[number];

const topicsSchema = namesSchema(topics).meta({
  description:
    'List of `models`, `downloads` and `requests`, with commas between them; defaults to all that the caller may see.',
  examples: ['models,downloads'],
});

export const streamEvents = defineRoute('GET /api/v1/events', {
  operationId: 'streamEvents',
  summary: 'Follow loads, downloads and requests as server-sent events',
  description:
    'Topic `requests` requires the permission `admin`. Each event has an id; a client that reconnects with ' +
    '`Last-Event-ID` gets the events since then, or a new snapshot if they are too old. Progress events are throttled.',
  permission: 'models:read',
  query: z.object({ topics: topicsSchema.optional() }),
  headers: z.object({
    'last-event-id': z
      .string()
      .max(64)
      .optional()
      .describe('Id of the last event that the client has received.'),
  }),
  isStreamOnly: true,
  result: serverEventSchema,
  events: serverEventSchema,
});
