import type { TokenService } from '../../../access/token-service.ts';
import { HearthError } from '../../../contract/errors.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { createToken, listTokens, revokeToken } from '../../../contract/v1/token.ts';
import type { StoredToken } from '../../../store/store.ts';
import { mount, type App } from '../../mount.ts';

export function mountTokens(app: App, tokens: TokenService): void {
  mount(app, createToken, async ({ body }) => {
    const { name, permissions, expires_at: expiresAt } = body;
    const { record, token } = await tokens.create({
      name,
      permissions,
      ...omitUndefined({
        expiresAt: typeof expiresAt !== 'string' ? undefined : new Date(expiresAt),
      }),
    });
    return { ...toFields(record), token };
  });

  mount(app, listTokens, async () => {
    const records = await tokens.list();
    return {
      tokens: records.map((record) => ({
        ...toFields(record),
        last_used_at: record.lastUsedAt?.toISOString() ?? null,
      })),
    };
  });

  mount(app, revokeToken, async ({ params: { id } }) => {
    if (await tokens.revoke(id)) return { id, revoked: true as const };
    throw new HearthError(
      'token_not_found',
      `No token has the id ${JSON.stringify(id)}. GET /api/v1/tokens lists those there are.`,
      { param: 'id' },
    );
  });
}

function toFields({ id, name, permissions, createdAt, expiresAt }: StoredToken) {
  return {
    id,
    name,
    permissions: [...permissions],
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  };
}
