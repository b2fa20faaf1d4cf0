import { isoTimeSchema } from '../field.ts';
import { permissionSchema } from '../permission.ts';
import { defineRoute, jsonBody, z } from '../route.ts';

const tokenFields = {
  id: z.string().describe('10 lower-case hex digits; not secret.'),
  name: z.string(),
  permissions: z.array(permissionSchema),
  created_at: isoTimeSchema,
  expires_at: isoTimeSchema.nullable(),
};

const tokenRecordSchema = z
  .object({
    ...tokenFields,
    last_used_at: isoTimeSchema.nullable().describe('To the minute; null where never.'),
  })
  .openapi('Token');

const createTokenRequestSchema = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(128)
      .refine((name) => !name.includes('\0'), 'It must not contain a NUL character')
      .describe('What the token is for.'),
    permissions: z
      .array(permissionSchema)
      .min(1)
      .max(16)
      .transform((permissions) => [...new Set(permissions)])
      .describe('`admin` implies all others.'),
    expires_at: z.iso
      .datetime({ offset: true })
      .refine((time) => Date.parse(time) > Date.now(), 'It must be a time to come')
      .optional()
      .describe('The first moment at which it is not valid any more; never where absent.'),
  })
  .openapi('CreateTokenRequest');

const newTokenSchema = z
  .object({ ...tokenFields, token: z.string().describe('Shown this once.') })
  .openapi('NewToken');

export const createToken = defineRoute({
  method: 'post',
  path: '/api/v1/tokens',
  operationId: 'createToken',
  summary: 'Make a token',
  description:
    'Asks for a token with `admin`; the first one is made on the machine itself: `hearth token create`.',
  tag: 'v1',
  permission: 'admin',
  request: { body: jsonBody(createTokenRequestSchema) },
  result: newTokenSchema,
  errors: ['unrecognized_keys'],
});

export const listTokens = defineRoute({
  method: 'get',
  path: '/api/v1/tokens',
  operationId: 'listTokens',
  summary: 'List the tokens, oldest first; never their secrets',
  tag: 'v1',
  permission: 'admin',
  result: z.object({ tokens: z.array(tokenRecordSchema) }).openapi('TokenList'),
  errors: [],
});

export const revokeToken = defineRoute({
  method: 'delete',
  path: '/api/v1/tokens/{id}',
  operationId: 'revokeToken',
  summary: 'Revoke a token, at once',
  tag: 'v1',
  permission: 'admin',
  request: { params: z.object({ id: z.string().min(1).max(64) }) },
  result: z.object({ id: z.string(), revoked: z.literal(true) }).openapi('RevokedToken'),
  errors: ['token_not_found'],
});
