import * as z from 'zod';
import { isoTimeSchema, withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { v1ModelSchema } from '../models/model-schema.ts';
import * as named from '../../kit/named.ts';

const exampleKey = 'SHA256:aF3kG2Yyq0nS1v7m3o4U5x6wZ8B9cD0eF1gH2iJ3kL4';

const nameSchema = withExample(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/), 'gpu-box');
const hostSchema = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9.:_-]+$/)
  .refine(
    (host) => URL.canParse(`https://${host.includes(':') ? `[${host}]` : host}`),
    'Invalid host name or address',
  )
  .describe('Host name or address.');
const portSchema = z.int().min(1).max(65_535);
const keySchema = z.string().describe('Hash of the public key of the machine.');

/** The port in the default value of `server.linkAddress`. */
export const defaultLinkPort = 1235;

const exampleLinkOffer = {
  code: 'M5WJ0-6SZ3B-8K1QT-0YV2D-4R7XN-9CHGE',
  expires_at: '2026-11-02T09:40:00.000Z',
  host: '192.168.1.20',
  port: defaultLinkPort,
  key: exampleKey,
};

export const createLinkOffer = defineRoute('POST /api/v1/links/offers', {
  operationId: 'createLinkOffer',
  summary: 'Make a code that links another machine to this one',
  description:
    'The server listens for linked machines on `server.linkAddress` from now on. The code links one machine, within 10 minutes.',
  permission: 'admin',
  result: named.object('LinkOffer', [exampleLinkOffer], {
    code: z.string(),
    expires_at: isoTimeSchema,
    host: z.string().nullable().describe('Address of this machine in its network, if it has one.'),
    port: portSchema,
    key: keySchema,
  }),
  errors: ['conflict'],
});

const exampleLinkedMachine = {
  name: 'gpu-box',
  host: '192.168.1.20',
  port: defaultLinkPort,
  key: exampleKey,
  created_at: '2026-11-02T09:31:00.000Z',
  model_count: 4,
  problem: null,
};

const linkedMachineSchema = named.object('LinkedMachine', [exampleLinkedMachine], {
  name: nameSchema,
  host: z.string(),
  port: portSchema,
  key: keySchema,
  created_at: isoTimeSchema,
  model_count: z
    .int()
    .nonnegative()
    .nullable()
    .describe('Models of the machine; null if it cannot be used now.'),
  problem: z.string().nullable().describe('Why it cannot be used now.'),
});
export type LinkedMachine = z.infer<typeof linkedMachineSchema>;

const exampleCreateLinkRequest = {
  host: '192.168.1.20',
  code: 'M5WJ0-6SZ3B-8K1QT-0YV2D-4R7XN-9CHGE',
};

export const createLink = defineRoute('POST /api/v1/links', {
  operationId: 'createLink',
  summary: 'Link another machine, whose models are then used here',
  permission: 'admin',
  hasSecrets: true,
  body: named.strictObject('CreateLinkRequest', [exampleCreateLinkRequest], {
    host: hostSchema,
    port: portSchema.default(defaultLinkPort),
    code: z.string().min(1).max(200).describe('From `hearth link offer` on that machine.'),
    name: nameSchema.nullish().describe('The name that the machine has of itself if absent.'),
  }),
  result: linkedMachineSchema,
  errors: [
    'invalid_code',
    'conflict',
    'upstream_error',
    'upstream_unavailable',
    'unrecognized_keys',
  ],
});

const exampleLinkList = {
  to: [],
  from: [
    {
      name: 'laptop',
      token_id: '3f9a0c51d2',
      created_at: '2026-11-02T09:31:00.000Z',
      last_used_at: null,
    },
  ],
};

const linkListSchema = named.object('LinkList', [exampleLinkList], {
  to: z.array(linkedMachineSchema).describe('Machines whose models are used here.'),
  from: z
    .array(
      named.object('LinkingMachine', {
        name: nameSchema,
        token_id: z.string().describe('The token of this server that the machine uses.'),
        created_at: isoTimeSchema,
        last_used_at: isoTimeSchema.nullable(),
      }),
    )
    .describe('Machines that use the models of this one.'),
});
export type LinkList = z.infer<typeof linkListSchema>;

export const listLinks = defineRoute('GET /api/v1/links', {
  operationId: 'listLinks',
  summary: 'List the linked machines',
  description: 'Asks each machine for its models.',
  permission: 'admin',
  result: linkListSchema,
});

const exampleRemovedLink = { name: 'gpu-box', removed: true, revoked_there: true };

export const removeLink = defineRoute('DELETE /api/v1/links/{name}', {
  operationId: 'removeLink',
  summary: 'End the links with a machine, in both directions',
  description:
    'Revokes the tokens of the link here, and at the other machine if it can be reached.',
  permission: 'admin',
  params: z.object({ name: nameSchema }),
  result: named.object('RemovedLink', [exampleRemovedLink], {
    name: nameSchema,
    removed: z.literal(true),
    revoked_there: z
      .boolean()
      .nullable()
      .describe('Whether the other machine revoked its token; null if there was none.'),
  }),
  errors: ['link_not_found'],
});

export const pairMachine = defineRoute('POST /api/v1/links/pair', {
  operationId: 'pairMachine',
  summary: 'Exchange a code for a token',
  description: 'The other machine calls this, on the port for links only.',
  permission: null,
  maxBodyBytes: 4096,
  hasSecrets: true,
  body: named.strictObject('PairRequest', [{ code: '0YV2D4R7XN9CHGE', name: 'laptop' }], {
    code: z.string().min(1).max(64).describe('The second half of the code.'),
    name: z.string().min(1).max(256).describe('Name of the other machine.'),
  }),
  result: z.object({ name: nameSchema, token: z.string() }).meta({
    id: 'Pairing',
    examples: [{ name: 'gpu-box', token: 'hearth-3f9a0c51d2-xxxxxxxxxxxxxxxxxxxxxxxx' }],
  }),
  errors: ['invalid_code', 'rate_limit_exceeded', 'unrecognized_keys'],
});

export const unpairMachine = defineRoute('DELETE /api/v1/links/pair', {
  operationId: 'unpairMachine',
  summary: 'End the link that the token belongs to',
  description: 'The other machine calls this, on the port for links.',
  permission: 'models:read',
  result: named.object('Unpaired', [{ removed: true }], { removed: z.literal(true) }),
  errors: ['link_not_found'],
});

const exampleLinkModelList = {
  models: [
    {
      type: 'embedding',
      publisher: 'hearth',
      key: 'hearth/starter-embed',
      display_name: 'starter-embed',
      quantization: null,
      size_bytes: 2_200_000,
      params_string: null,
      loaded_instances: [],
      max_context_length: 512,
      format: 'gguf',
      variant_ids: ['q8_0'],
      standing: 'memory',
    },
  ],
};

export const listLinkModels = defineRoute('GET /api/v1/links/models', {
  operationId: 'listLinkModels',
  summary: 'List the models of this machine as linked machines see them',
  permission: 'models:read',
  result: named.object('LinkModelList', [exampleLinkModelList], {
    models: z.array(
      v1ModelSchema
        .extend({
          variant_ids: z.array(z.string()).describe('Such as `q4_k_m`, the default first.'),
          standing: z
            .enum(['loaded', 'gpu', 'memory', 'none'])
            .describe(
              '`loaded`, or whether a load would fit: `gpu` at least partly into GPU memory, `memory`, `none`.',
            ),
        })
        .meta({ id: 'LinkModel' }),
    ),
  }),
});
