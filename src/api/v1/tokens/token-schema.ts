import * as z from 'zod';
import { priorities } from '../../../kernel/concurrency/fair-queue.ts';
import { isoTimeSchema, withExample } from '../../../kernel/field.ts';
import { permissionSchema } from '../../../kernel/permission.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const exampleToken = {
  id: '3f9a0c51d2',
  name: 'Notebook on the laptop',
  permissions: ['chat', 'models:read'],
  created_at: '2026-11-02T09:30:00.000Z',
  expires_at: null,
  requests_per_minute: null,
  tokens_per_minute: 20_000,
  requests_per_day: null,
  tokens_per_day: 500_000,
  models: ['qwen/*'],
  priority: 'normal',
};

const limitSchema = z.int().min(1).max(1_000_000_000);
const modelsSchema = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(256)
      .refine((pattern) => !pattern.includes('\0'), 'It must not contain a NUL character')
      .meta({ not: { pattern: '\\u0000' } }),
  )
  .max(100);
const tokensPerDaySchema = z.int().min(1).max(1_000_000_000_000);

const prioritySchema = z
  .enum(priorities)
  .describe(
    'Whose requests come first if several wait for a model: `interactive`, then `normal`, then `background`.',
  );

const tokenFields = {
  id: z.string().describe('10 lower-case hex digits; not secret.'),
  name: z.string(),
  permissions: z.array(permissionSchema),
  created_at: isoTimeSchema,
  expires_at: isoTimeSchema.nullable(),
  requests_per_minute: limitSchema
    .nullable()
    .describe(
      'Maximum number of generating requests per minute; null: `limits.requestsPerMinute`.',
    ),
  tokens_per_minute: limitSchema
    .nullable()
    .describe('Maximum number of tokens per minute; null: `limits.tokensPerMinute`.'),
  requests_per_day: limitSchema
    .nullable()
    .describe(
      'Maximum number of generating requests per day (UTC); null: `limits.requestsPerDay`.',
    ),
  tokens_per_day: tokensPerDaySchema
    .nullable()
    .describe('Maximum number of tokens per day (UTC); null: `limits.tokensPerDay`.'),
  models: modelsSchema
    .nullable()
    .describe('Keys of the models that the token may use, with `*` for any characters; null: all.'),
  priority: prioritySchema,
};

const ownedFields = {
  response_count: z.int().nonnegative().describe('Stored responses.'),
  conversation_count: z.int().nonnegative().describe('Conversations of these responses.'),
};

const tokenIdSchema = withExample(z.string().min(1).max(64), exampleToken.id);

const tokenRecordSchema = named.object('Token', {
  ...tokenFields,
  ...ownedFields,
  last_used_at: isoTimeSchema
    .nullable()
    .describe('Rounded to the minute; null if it was never used.'),
});

const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .refine((name) => !name.includes('\0'), 'It must not contain a NUL character')
  .meta({ not: { pattern: '\\u0000' } })
  .describe('What the token is for.');

const permissionsSchema = z
  .array(permissionSchema)
  .min(1)
  .max(16)
  .transform((permissions) => [...new Set(permissions)])
  .describe('`admin` implies all others.');

/** Fields of a token besides its name and permissions. */
const boundFields = {
  expires_at: z.iso
    .datetime({ offset: true })
    .refine((time) => Date.parse(time) > Date.now(), 'It must be in the future')
    .nullish()
    .describe('Time from which the token is invalid; null: it never expires.'),
  requests_per_minute: limitSchema
    .nullish()
    .describe(
      'Maximum number of generating requests per minute, over all servers of the database.',
    ),
  tokens_per_minute: limitSchema
    .nullish()
    .describe(
      'Maximum number of tokens of prompts and answers per minute, over all servers of the database.',
    ),
  requests_per_day: limitSchema
    .nullish()
    .describe(
      'Maximum number of generating requests per day (UTC), over all servers of the database.',
    ),
  tokens_per_day: tokensPerDaySchema
    .nullish()
    .describe(
      'Maximum number of tokens of prompts and answers per day (UTC), over all servers of the database.',
    ),
  models: modelsSchema
    .nullish()
    .describe(
      'The models that the token may use and see: keys, and patterns such as `qwen/*`; null: all.',
    ),
  priority: prioritySchema.optional(),
};

const exampleRequest = {
  name: 'Notebook on the laptop',
  permissions: ['chat', 'models:read'],
  tokens_per_day: 500_000,
  models: ['qwen/*'],
};

const createTokenRequestSchema = named.strictObject('CreateTokenRequest', [exampleRequest], {
  name: nameSchema,
  permissions: permissionsSchema,
  ...boundFields,
});

const changeTokenRequestSchema = z
  .strictObject({
    name: nameSchema.optional(),
    permissions: permissionsSchema.optional(),
    ...boundFields,
  })
  .meta({ id: 'ChangeTokenRequest', examples: [{ tokens_per_day: 500_000, models: null }] });
export type TokenBounds = Pick<z.output<typeof changeTokenRequestSchema>, keyof typeof boundFields>;

const newTokenSchema = z
  .object({ ...tokenFields, token: z.string().describe('The secret; shown only once.') })
  .meta({
    id: 'NewToken',
    examples: [{ ...exampleToken, token: 'hearth-3f9a0c51d2-xxxxxxxxxxxxxxxxxxxxxxxx' }],
  });

export const createToken = defineRoute('POST /api/v1/tokens', {
  operationId: 'createToken',
  summary: 'Create a token',
  description:
    'Requires a token with `admin`. Create the first one on the machine itself: `hearth token create`.',
  permission: 'admin',
  body: createTokenRequestSchema,
  result: newTokenSchema,
  errors: ['unrecognized_keys'],
});

export const changeToken = defineRoute('PATCH /api/v1/tokens/{id}', {
  operationId: 'changeToken',
  summary: 'Change a token',
  description:
    'Absent fields stay unchanged; null removes a bound. Requests that have begun keep the old ones.',
  permission: 'admin',
  params: z.object({ id: tokenIdSchema }),
  body: changeTokenRequestSchema,
  result: named.object('ChangedToken', [exampleToken], tokenFields),
  errors: ['token_not_found', 'unrecognized_keys'],
});

const exampleTokenList = {
  tokens: [
    {
      ...exampleToken,
      response_count: 31,
      conversation_count: 4,
      last_used_at: '2026-11-02T10:12:00.000Z',
    },
  ],
  orphans: [{ token_id: null, response_count: 12, conversation_count: 2 }],
};

export const listTokens = defineRoute('GET /api/v1/tokens', {
  operationId: 'listTokens',
  summary: 'List the tokens, oldest first, without their secrets',
  permission: 'admin',
  result: named.object('TokenList', [exampleTokenList], {
    tokens: z.array(tokenRecordSchema),
    orphans: z
      .array(
        named.object('OrphanedResponses', {
          token_id: z
            .string()
            .nullable()
            .describe('A revoked token; null for responses that were made without a token.'),
          ...ownedFields,
        }),
      )
      .describe('Stored responses that no token lists; every token can read those without one.'),
  }),
});

export const moveResponses = defineRoute('POST /api/v1/tokens/{id}/responses', {
  operationId: 'moveResponses',
  summary: 'Move the stored responses of another owner to a token',
  description:
    'Moves all conversations that were made without a token (`from: null`), or with another token, which may be revoked.',
  permission: 'admin',
  params: z.object({ id: tokenIdSchema }),
  body: z
    .strictObject({ from: tokenIdSchema.nullable().describe('The present owner.') })
    .meta({ id: 'MoveResponsesRequest', examples: [{ from: null }] }),
  result: z.object({ id: z.string(), from: z.string().nullable(), ...ownedFields }).meta({
    id: 'MovedResponses',
    examples: [{ id: exampleToken.id, from: null, response_count: 12, conversation_count: 2 }],
  }),
  errors: ['token_not_found', 'unrecognized_keys'],
});

const exampleRevokedToken = {
  id: exampleToken.id,
  revoked: true,
  responses: { action: 'kept', response_count: 31, conversation_count: 4 },
};

export const revokeToken = defineRoute('DELETE /api/v1/tokens/{id}', {
  operationId: 'revokeToken',
  summary: 'Revoke a token immediately',
  description:
    'Its stored responses stay, but no token lists them, unless they are deleted or moved to another token.',
  permission: 'admin',
  params: z.object({ id: tokenIdSchema }),
  query: z
    .strictObject({
      delete_responses: z
        .stringbool()
        .optional()
        .describe('Deletes the stored responses of the token.'),
      move_to: tokenIdSchema.optional().describe('Token that gets the stored responses.'),
    })
    .refine(
      ({ delete_responses: deletes, move_to: target }) => deletes !== true || target === undefined,
      { path: ['move_to'], message: 'It cannot be combined with delete_responses' },
    ),
  result: named.object('RevokedToken', [exampleRevokedToken], {
    id: z.string(),
    revoked: z.literal(true),
    responses: named
      .object('ResponsesOfRevokedToken', {
        action: z.enum(['kept', 'deleted', 'moved']),
        ...ownedFields,
      })
      .optional()
      .describe('What happened to the stored responses; absent if there were none.'),
  }),
  errors: ['token_not_found', 'unrecognized_keys'],
});
