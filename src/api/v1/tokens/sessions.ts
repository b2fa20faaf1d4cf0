import type { Session } from '../../../access/session-service.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { permissionSchema, type Permission } from '../../../kernel/permission.ts';
import {
  createSession,
  createSessionLink,
  getSession,
  listSessions,
  revokeSession,
} from './session-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

export function mountSessions(app: App, { sessions, server }: ApiServices): void {
  mount(app, createSessionLink, async () => {
    const { code, expiresAt } = sessions.createLink();
    // A browser sends no fragment, so that the code appears in no log.
    const url = `${server.linkUrl()}/open#code=${code}`;
    return { url, code, expires_at: expiresAt.toISOString() };
  });

  mount(app, createSession, async ({ body, context }) => {
    const opened = sessions.open(body.code);
    if (opened === undefined) {
      throw new HearthError(
        'invalid_code',
        'This link is unknown, used, or older than 60 seconds. `hearth open` makes a new one.',
        { param: 'code' },
      );
    }
    const { session, token } = opened;
    context.logger.info({ session: session.id }, 'session opened');
    return { ...toFields(session), token };
  });

  mount(app, listSessions, async () => ({
    sessions: sessions
      .list()
      .map((session) => ({ ...toFields(session), last_used_at: session.lastUsedAt.toISOString() })),
  }));

  mount(app, revokeSession, async ({ params: { id } }) => {
    if (sessions.revoke(id)) return { id, revoked: true as const };
    throw new HearthError(
      'session_not_found',
      `No session has the id ${JSON.stringify(id)}. GET /api/v1/sessions lists the existing ones.`,
      { param: 'id' },
    );
  });

  mount(app, getSession, async ({ context: { caller } }) => ({
    type: caller.identity?.type ?? ('anonymous' as const),
    id: caller.identity?.id ?? null,
    name: caller.identity?.name ?? null,
    permissions: permissionSchema.options.filter(caller.hasPermission),
    auth_required: server.isTokenRequired,
    expires_at: caller.identity?.expiresAt?.toISOString() ?? null,
  }));
}

const sessionPermissions: readonly Permission[] = ['admin'];

function toFields({ id, createdAt, expiresAt }: Session) {
  return {
    id,
    permissions: [...sessionPermissions],
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
