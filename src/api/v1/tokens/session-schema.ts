import * as z from 'zod';
import { isoTimeSchema, withExample } from '../../../kernel/field.ts';
import { permissionSchema } from '../../../kernel/permission.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const exampleCode = 'q3X0mQ7b1yZfKc9V2rUe5tJ8wLhNs4oP';
const exampleId = 'b41e07d9c2a65f38';
const exampleToken = `hearth-session-${exampleId}-${exampleCode}`;

/** Any permission suffices, since callers manage their own sessions. */
const anyPermission = permissionSchema.options;

const exampleSessionLink = {
  url: `http://127.0.0.1:1234/open#code=${exampleCode}`,
  code: exampleCode,
  expires_at: '2026-11-02T09:31:00.000Z',
};

const linkSchema = named.object('SessionLink', [exampleSessionLink], {
  url: z.string().describe('Link that opens the page; the code is in its fragment.'),
  code: z
    .string()
    .nullable()
    .describe('Opens one session; null for a caller without a token, who needs none.'),
  expires_at: isoTimeSchema.nullable(),
});

export const createSessionLink = defineRoute('POST /api/v1/sessions/links', {
  operationId: 'createSessionLink',
  summary: 'Create a link that signs another browser in once',
  description:
    'The session of the link acts for the token of the caller. `hearth open` calls this as the owner of the home folder.',
  permission: anyPermission,
  query: z.strictObject({
    scope: z
      .enum(['machine', 'network'])
      .default('machine')
      .describe(
        '`machine`: a link for this machine, or for `server.publicUrl`, valid for 60 seconds. `network`: a link for other devices, valid for 10 minutes.',
      ),
  }),
  result: linkSchema,
  errors: ['network_unreachable', 'unrecognized_keys'],
});

const sessionFields = {
  id: z.string().describe('16 lower-case hex digits; not secret.'),
  token_id: z
    .string()
    .describe('The token that the session acts for; `owner` for the owner of the home folder.'),
  browser: z.string().nullable().describe('Such as `Firefox`, from `User-Agent`.'),
  system: z.string().nullable().describe('Such as `Android`, from `User-Agent`.'),
  address: z
    .string()
    .describe('Network address of the last use; behind a proxy, the address of the proxy.'),
  created_at: isoTimeSchema,
  last_used_at: isoTimeSchema.describe('Rounded to the minute.'),
  expires_at: isoTimeSchema.describe('Moved by each request of the session.'),
};
const exampleSession = {
  id: exampleId,
  token_id: 'owner',
  browser: 'Safari',
  system: 'iPhone',
  address: '192.168.1.7',
  created_at: '2026-11-02T09:30:10.000Z',
  last_used_at: '2026-11-02T09:30:10.000Z',
  expires_at: '2026-12-02T09:30:10.000Z',
};

export const createSession = defineRoute('POST /api/v1/sessions', {
  operationId: 'createSession',
  summary: 'Sign a browser in',
  description:
    'Takes the code of a link or a token, and answers with a session token and a cookie. Both together authenticate requests: send the session token as `Authorization: Bearer <token>`. `GET /api/v1/session` replaces the cookie each hour. A session ends 30 days after its last use, when it is revoked, and with its token. Several failed attempts are answered with 429.',
  permission: null,
  headers: z.object({
    origin: z.string().optional().describe('With `https:`, the cookie is sent over HTTPS only.'),
    'user-agent': z.string().optional().describe('The name of the device is taken from it.'),
  }),
  body: z
    .strictObject({
      code: z.string().min(1).max(128).optional().describe('The code of a link.'),
      token: z.string().min(1).max(128).optional().describe('An API token.'),
    })
    .refine(({ code, token }) => (code === undefined) !== (token === undefined), {
      error: 'It must be sent unless token is, and not with it',
      path: ['code'],
    })
    .meta({ id: 'CreateSessionRequest', examples: [{ code: exampleCode }] }),
  maxBodyBytes: 4096,
  hasSecrets: true,
  result: z
    .object({ ...sessionFields, token: z.string().describe('The secret; sent only here.') })
    .meta({ id: 'NewSession', examples: [{ ...exampleSession, token: exampleToken }] }),
  errors: ['unrecognized_keys', 'invalid_code', 'rate_limit_exceeded'],
});

const sessionSchema = named.object('Session', {
  ...sessionFields,
  token_name: z.string().nullable().describe('Name of the token; null for the owner.'),
  is_current: z.boolean().describe('Whether this session sent the request.'),
});

export const listSessions = defineRoute('GET /api/v1/sessions', {
  operationId: 'listSessions',
  summary: 'List the signed-in browsers of the caller, latest use first',
  description: 'With the permission `admin`, the sessions of all tokens.',
  permission: anyPermission,
  result: z.object({ sessions: z.array(sessionSchema) }).meta({
    id: 'SessionList',
    examples: [{ sessions: [{ ...exampleSession, token_name: null, is_current: true }] }],
  }),
});

export const revokeSession = defineRoute('DELETE /api/v1/sessions/{id}', {
  operationId: 'revokeSession',
  summary: 'Sign a browser out immediately',
  permission: anyPermission,
  params: z.object({
    id: withExample(z.string().min(1).max(64), exampleId),
  }),
  result: z
    .object({ id: z.string(), revoked: z.literal(true) })
    .meta({ id: 'RevokedSession', examples: [{ id: exampleId, revoked: true }] }),
  errors: ['session_not_found'],
});

export const revokeOtherSessions = defineRoute('DELETE /api/v1/sessions', {
  operationId: 'revokeOtherSessions',
  summary: 'Sign all other browsers of the caller out',
  description:
    'Revokes the sessions of the token of the caller, but not the one that sends the request.',
  permission: anyPermission,
  query: z.strictObject({
    keep: z
      .literal('current')
      .describe('Required, so that no request signs browsers out by mistake.'),
  }),
  result: z
    .object({ revoked_count: z.int().nonnegative() })
    .meta({ id: 'RevokedSessions', examples: [{ revoked_count: 2 }] }),
  errors: ['unrecognized_keys'],
});

const exampleCurrentSession = {
  type: 'anonymous',
  id: null,
  name: null,
  permissions: ['chat', 'embeddings', 'models:read', 'models:write', 'ephemeral-mcp'],
  auth_required: false,
  expires_at: null,
};

export const getSession = defineRoute('GET /api/v1/session', {
  operationId: 'getSession',
  summary: 'Get the identity and permissions of the caller',
  description:
    'Needs no permission, so that the web app can show what the caller may do. A token that is unknown, revoked or expired is a 401. Replaces the cookie of a session when it is an hour old.',
  permission: null,
  result: named.object('CurrentSession', [exampleCurrentSession], {
    type: z
      .enum(['anonymous', 'token', 'session', 'owner'])
      .describe('`owner`: a command of the owner of the home folder.'),
    id: z.string().nullable().describe('Id of the token or session.'),
    name: z.string().nullable().describe('Name of the token, also of a session.'),
    permissions: z
      .array(permissionSchema)
      .describe('All that apply: `admin` is listed with every other permission.'),
    auth_required: z
      .boolean()
      .describe('Whether the server requires a token for every request (`auth.required`).'),
    expires_at: isoTimeSchema.nullable(),
  }),
});
