import * as z from 'zod';
import { isoTimeSchema } from '../../../kernel/field.ts';
import { permissionSchema } from '../../../kernel/permission.ts';
import { defineRoute } from '../../kit/route.ts';

const exampleCode = 'q3X0mQ7b1yZfKc9V2rUe5tJ8wLhNs4oPaGiDxT6MvBk';
const exampleId = 'b41e07d9c2a65f38';
const exampleToken = `hearth-session-${exampleId}-${exampleCode}`;

const linkSchema = z
  .object({
    url: z.string().describe('Link that opens the page; the code is in its fragment.'),
    code: z.string().describe('Exchanged once for a session token.'),
    expires_at: isoTimeSchema,
  })
  .meta({
    id: 'SessionLink',
    examples: [
      {
        url: `http://127.0.0.1:1234/open#code=${exampleCode}`,
        code: exampleCode,
        expires_at: '2026-11-02T09:31:00.000Z',
      },
    ],
  });

export const createSessionLink = defineRoute({
  method: 'post',
  path: '/api/v1/sessions/links',
  operationId: 'createSessionLink',
  summary: 'Create a link that opens a session once',
  description:
    'The link is valid for 60 seconds, and its code for one session. `hearth open` calls this as the owner of the home folder.',
  permission: 'admin',
  result: linkSchema,
  errors: [],
});

const sessionFields = {
  id: z.string().describe('16 lower-case hex digits; not secret.'),
  permissions: z.array(permissionSchema),
  created_at: isoTimeSchema,
  expires_at: isoTimeSchema.describe('Moved by each request of the session.'),
};
const exampleSession = {
  id: exampleId,
  permissions: ['admin'],
  created_at: '2026-11-02T09:30:10.000Z',
  expires_at: '2026-11-02T21:30:10.000Z',
};

export const createSession = defineRoute({
  method: 'post',
  path: '/api/v1/sessions',
  operationId: 'createSession',
  summary: 'Exchange the code of a link for a session token',
  description:
    'Send the token as `Authorization: Bearer <token>`. A session ends after 12 hours without a request, when it is revoked, and when the server stops.',
  permission: null,
  body: z
    .strictObject({ code: z.string().min(1).max(128) })
    .meta({ id: 'CreateSessionRequest', examples: [{ code: exampleCode }] }),
  maxBodyBytes: 4096,
  result: z
    .object({ ...sessionFields, token: z.string().describe('The secret; sent only here.') })
    .meta({ id: 'NewSession', examples: [{ ...exampleSession, token: exampleToken }] }),
  errors: ['unrecognized_keys', 'invalid_code'],
});

const sessionSchema = z
  .object({ ...sessionFields, last_used_at: isoTimeSchema })
  .meta({ id: 'Session' });

export const listSessions = defineRoute({
  method: 'get',
  path: '/api/v1/sessions',
  operationId: 'listSessions',
  summary: 'List the sessions, oldest first, without their secrets',
  permission: 'admin',
  result: z.object({ sessions: z.array(sessionSchema) }).meta({
    id: 'SessionList',
    examples: [{ sessions: [{ ...exampleSession, last_used_at: '2026-11-02T09:30:10.000Z' }] }],
  }),
  errors: [],
});

export const revokeSession = defineRoute({
  method: 'delete',
  path: '/api/v1/sessions/{id}',
  operationId: 'revokeSession',
  summary: 'Revoke a session immediately',
  permission: 'admin',
  params: z.object({
    id: z
      .string()
      .min(1)
      .max(64)
      .meta({ examples: [exampleId] }),
  }),
  result: z
    .object({ id: z.string(), revoked: z.literal(true) })
    .meta({ id: 'RevokedSession', examples: [{ id: exampleId, revoked: true }] }),
  errors: ['session_not_found'],
});

export const getSession = defineRoute({
  method: 'get',
  path: '/api/v1/session',
  operationId: 'getSession',
  summary: 'Get the identity and permissions of the caller',
  description:
    'Needs no permission, so that the web app can show what the caller may do. A token that is unknown, revoked or expired is a 401.',
  permission: null,
  result: z
    .object({
      type: z
        .enum(['anonymous', 'token', 'session', 'owner'])
        .describe('`owner`: a command of the owner of the home folder.'),
      id: z.string().nullable().describe('Id of the token or session.'),
      name: z.string().nullable().describe('Name of the token.'),
      permissions: z
        .array(permissionSchema)
        .describe('All that apply: `admin` is listed with every other permission.'),
      auth_required: z
        .boolean()
        .describe('Whether the server requires a token for every request (`auth.required`).'),
      expires_at: isoTimeSchema.nullable(),
    })
    .meta({
      id: 'CurrentSession',
      examples: [
        {
          type: 'anonymous',
          id: null,
          name: null,
          permissions: ['chat', 'embeddings', 'models:read', 'models:write', 'ephemeral-mcp'],
          auth_required: false,
          expires_at: null,
        },
      ],
    }),
  errors: [],
});
