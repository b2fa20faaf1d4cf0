import { countResponses, moveResponses, revokeToken } from '../../../access/revoke-token.ts';
import type { TokenService } from '../../../access/token-service.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import * as contract from './token-schema.ts';
import { noLimits } from '../../../store/shared/rate-limit-repository.ts';
import type { OwnedCount, Store, StoredToken } from '../../../store/store.ts';
import { mount, type App } from '../../kit/mount.ts';

interface TokenServices {
  readonly tokens: TokenService;
  readonly store: Pick<Store, 'tokens' | 'owners'>;
}

export function mountTokens(app: App, { tokens, store }: TokenServices): void {
  mount(app, contract.createToken, async ({ body }) => {
    const { name, permissions } = body;
    const { expiresAt, rateLimits, modelScope, priority } = toBounds(body);
    const { record, token } = await tokens.create({
      name,
      permissions,
      rateLimits: { ...noLimits, ...omitUndefined(rateLimits) },
      ...omitUndefined({ expiresAt, modelScope, priority }),
    });
    return { ...toFields(record), token };
  });

  mount(app, contract.changeToken, async ({ params: { id }, body }) => {
    const { name, permissions } = body;
    const changed = await store.tokens.update(id, { name, permissions, ...toBounds(body) });
    if (changed === undefined) throw tokenNotFound(id, 'id');
    return toFields(changed);
  });

  mount(app, contract.listTokens, async () => {
    const records = await tokens.list();
    const counts = await countResponses(store);
    return {
      tokens: records.map((record) => ({
        ...toFields(record),
        ...toCounts(counts.of(record.id)),
        last_used_at: record.lastUsedAt?.toISOString() ?? null,
      })),
      orphans: counts.orphans.map((orphan) => ({
        token_id: orphan.ownerId,
        ...toCounts(orphan),
      })),
    };
  });

  mount(app, contract.moveResponses, async ({ params: { id }, body: { from } }) => {
    const moved = await moveResponses(store, from, id);
    if (moved === undefined) throw tokenNotFound(id, 'id');
    return { id, from, ...toCounts(moved) };
  });

  mount(app, contract.revokeToken, async ({ params: { id }, query }) => {
    const { delete_responses: deletes = false, move_to: to } = query;
    const action = to !== undefined ? 'moved' : deletes ? 'deleted' : 'kept';
    const revocation = await revokeToken(
      store,
      id,
      action === 'moved' ? { action, to: to ?? '' } : { action },
    );
    if (revocation.kind === 'unknown_token') {
      throw tokenNotFound(revocation.id, revocation.id === to ? 'move_to' : 'id');
    }
    const { responses } = revocation;
    return {
      id,
      revoked: true as const,
      ...(responses.conversationCount > 0 && {
        responses: { action, ...toCounts(responses) },
      }),
    };
  });
}

/** Converts the bounds; absent fields stay undefined. */
function toBounds(body: contract.TokenBounds) {
  const { expires_at: expiresAt } = body;
  return {
    expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt,
    modelScope: body.models,
    priority: body.priority,
    rateLimits: {
      requestsPerMinute: body.requests_per_minute,
      tokensPerMinute: body.tokens_per_minute,
      requestsPerDay: body.requests_per_day,
      tokensPerDay: body.tokens_per_day,
    },
  };
}

function tokenNotFound(id: string, param: string): HearthError {
  return new HearthError(
    'token_not_found',
    `No ${param === 'id' ? '' : 'other '}token has the id ${JSON.stringify(id)}. GET /api/v1/tokens lists the existing ones.`,
    { param },
  );
}

function toCounts({ responseCount, conversationCount }: OwnedCount) {
  return { response_count: responseCount, conversation_count: conversationCount };
}

function toFields(token: StoredToken) {
  const { id, name, permissions, createdAt, expiresAt, rateLimits, modelScope, priority } = token;
  return {
    id,
    name,
    permissions: [...permissions],
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    requests_per_minute: rateLimits.requestsPerMinute,
    tokens_per_minute: rateLimits.tokensPerMinute,
    requests_per_day: rateLimits.requestsPerDay,
    tokens_per_day: rateLimits.tokensPerDay,
    models: modelScope === null ? null : [...modelScope],
    priority,
  };
}
