import { serialize } from 'hono/utils/cookie';
import { ownerId } from '../../../access/authenticator.ts';
import { deviceName } from '../../../access/device-name.ts';
import { cookieName, cookieSeconds, expiryOf } from '../../../access/session-service.ts';
import { SignInLimit } from '../../../access/sign-in-limit.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { permissionSchema } from '../../../kernel/permission.ts';
import type { StoredSession } from '../../../store/session-repository.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { describeRefusal } from '../../kit/guards/principal.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import * as contract from './session-schema.ts';

const linkLifetimesMs = { machine: 60_000, network: 600_000 };
const maxUserAgentLength = 512;

export function mountSessions(app: App, services: ApiServices): void {
  const { sessions, tokens, authenticator, server } = services;
  const limit = new SignInLimit();
  /** The `Set-Cookie` value for a session's secret; without a secret, it removes the cookie. */
  const cookieOf = (id: string, secret: string | undefined, isSecure = false): string =>
    serialize(cookieName(id), secret ?? '', {
      path: `${server.pathPrefix}/`,
      httpOnly: true,
      sameSite: 'Strict',
      secure: isSecure,
      maxAge: secret === undefined ? 0 : cookieSeconds,
    });

  mount(app, contract.createSessionLink, async ({ query: { scope }, context: { caller } }) => {
    const address = scope === 'network' ? server.networkUrl() : server.linkUrl();
    const { identity } = caller;
    if (identity === undefined) return { url: `${address}/open`, code: null, expires_at: null };
    const created = await sessions.createCode(identity.tokenId, linkLifetimesMs[scope]);
    const { code, expiresAt } = created;
    // The code is in the fragment, which browsers do not send, so it appears in no log.
    return { url: `${address}/open#code=${code}`, code, expires_at: expiresAt.toISOString() };
  });

  mount(app, contract.createSession, async ({ body, headers, context }) => {
    const { clientKey, address = '' } = context.caller;
    limit.check(clientKey);
    const tokenId = await identifyNewcomer(body, address).catch((error: unknown) => {
      limit.addFailure(clientKey);
      throw error;
    });
    const isSecure = headers.origin?.startsWith('https:') ?? false;
    const userAgent = (headers['user-agent'] ?? '').slice(0, maxUserAgentLength);
    const { session, secrets } = await sessions.open(tokenId, { userAgent, address, isSecure });
    context.logger.info({ session: session.id, tokenId }, 'session opened');
    const cookie = cookieOf(session.id, secrets.cookie, isSecure);
    return withCookie({ ...toFields(session), token: secrets.token }, cookie);
  });

  /** Returns the id of the token that a code or a token's secret identifies. */
  async function identifyNewcomer(
    {
      code,
      token = '',
    }: { readonly code?: string | undefined; readonly token?: string | undefined },
    address: string,
  ): Promise<string> {
    if (code !== undefined) {
      const tokenId = await sessions.takeCode(code);
      if (tokenId !== undefined && (await isValid(tokenId))) return tokenId;
      throw new HearthError(
        'invalid_code',
        'This link is unknown, used or too old. `hearth open` makes a new one.',
        { param: 'code' },
      );
    }
    const browser = { cookie: () => '', address };
    const sender = await authenticator.authenticate(token, new Date(), browser);
    if (sender.kind === 'token') return sender.token.id;
    const reason = sender.kind === 'invalid' ? sender.reason : 'ended';
    const masked = sender.kind === 'invalid' ? sender.masked : '';
    throw new HearthError('invalid_api_key', describeRefusal({ reason, masked }));
  }

  const isValid = async (tokenId: string) =>
    tokenId === ownerId || (await tokens.find(tokenId, new Date())) !== undefined;

  /** The sessions that a caller may see and revoke. */
  async function visibleTo({ caller }: RequestContext): Promise<readonly StoredSession[]> {
    if (caller.identity === undefined) return [];
    return sessions.list(caller.hasPermission('admin') ? undefined : caller.identity.tokenId);
  }

  mount(app, contract.listSessions, async ({ context }) => {
    const names = new Map((await tokens.list()).map(({ id, name }) => [id, name]));
    const visible = await visibleTo(context);
    const { identity } = context.caller;
    return {
      sessions: visible.map((session) => ({
        ...toFields(session),
        token_name: names.get(session.tokenId) ?? null,
        is_current: identity?.type === 'session' && identity.id === session.id,
      })),
    };
  });

  mount(app, contract.revokeSession, async ({ params: { id }, context }) => {
    const visible = await visibleTo(context);
    if (!visible.some((session) => session.id === id) || !(await sessions.revoke(id))) {
      throw new HearthError(
        'session_not_found',
        `No session has the id ${JSON.stringify(id)}. GET /api/v1/sessions lists the existing ones.`,
        { param: 'id' },
      );
    }
    return withCookie({ id, revoked: true }, cookieOf(id, undefined));
  });

  mount(app, contract.revokeOtherSessions, async ({ context: { caller } }) => {
    const { identity } = caller;
    if (identity === undefined) return { revoked_count: 0 };
    const others = (await sessions.list(identity.tokenId)).filter(({ id }) => id !== identity.id);
    const revoked = await Promise.all(others.map(({ id }) => sessions.revoke(id)));
    return { revoked_count: revoked.filter(Boolean).length };
  });

  mount(app, contract.getSession, async ({ context: { caller } }) => {
    const { identity } = caller;
    const result = {
      type: identity?.type ?? ('anonymous' as const),
      id: identity?.id ?? null,
      name: identity?.name ?? null,
      permissions: permissionSchema.options.filter(caller.hasPermission),
      auth_required: server.isTokenRequired,
      expires_at: identity?.expiresAt?.toISOString() ?? null,
    };
    const secret = await identity?.rotate?.();
    if (secret === undefined || identity === undefined) return result;
    const isSecure = (await sessions.find(identity.id))?.isSecure ?? false;
    return withCookie(result, cookieOf(identity.id, secret, isSecure));
  });
}

function toFields(session: StoredSession) {
  return {
    id: session.id,
    token_id: session.tokenId,
    ...deviceName(session.userAgent),
    address: session.address,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: expiryOf(session).toISOString(),
  };
}

function withCookie(result: object, cookie: string | undefined): Response {
  const response = Response.json(result);
  if (cookie !== undefined) response.headers.set('set-cookie', cookie);
  return response;
}
