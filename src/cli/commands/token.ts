import {
  countResponses,
  moveResponses,
  type OwnedCount,
  type OwnerCounts,
  noLimits,
  type ResponseDisposal,
  revokeToken,
  type StoredToken,
  unknownToken,
  withTokens,
} from '../../server/offline/tokens.ts';
import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/progress.ts';
import { flag, jsonOption, required, text } from '../option.ts';
import { boundOptions, permissionsOption, toBounds } from './token-bounds.ts';
import { writeList, writeResult } from '../ui/result.ts';
import { formatMinute, formatNumberOf } from '../../kernel/format.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { UsageError } from '../failure.ts';

/** Such as `31 responses in 4 conversations`. */
export function formatResponseCount({ responseCount, conversationCount }: OwnedCount): string {
  const conversations = formatNumberOf(conversationCount, 'conversation');
  return `${formatNumberOf(responseCount, 'response')} in ${conversations}`;
}

export const tokenLs = defineCommand({
  options: jsonOption,
  examples: ['hearth token ls', 'hearth token ls --json'],
  async run({ context, options }) {
    const { tokens, counts } = await withTokens(withMigration(context), async (service, store) => ({
      tokens: await service.list(),
      counts: await countResponses(store),
    }));
    writeList<StoredToken>(context.terminal, options, {
      result: {
        tokens: tokens.map((token) => ({
          ...withoutSecret(token),
          ...toFields(counts.of(token.id)),
        })),
        orphans: counts.orphans.map((orphan) => ({
          token_id: orphan.ownerId,
          ...toFields(orphan),
        })),
      },
      rows: tokens,
      columns: [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name },
        { title: 'PERMISSIONS', dropOrder: 5, value: ({ permissions }) => permissions.join(',') },
        {
          title: 'MODELS',
          dropOrder: 4,
          value: ({ modelScope }) => modelScope?.join(',') ?? 'all',
        },
        { title: 'PRIORITY', dropOrder: 2, value: ({ priority }) => priority },
        { title: 'CREATED', dropOrder: 1, value: ({ createdAt }) => formatTime(createdAt) },
        { title: 'EXPIRES', dropOrder: 3, value: ({ expiresAt }) => formatTime(expiresAt) },
        { title: 'LAST USED', dropOrder: 2, value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
        { title: 'RESPONSES', dropOrder: 6, value: ({ id }) => `${counts.of(id).responseCount}` },
      ],
      ifEmpty: 'No tokens. Create one with `hearth token create --name NAME`.',
    });
    if (options.json === true) return;
    for (const orphan of counts.orphans) context.terminal.messages.line(describeOrphans(orphan));
  },
});

function describeOrphans(orphan: OwnerCounts[number]): string {
  const count = formatResponseCount(orphan);
  return orphan.ownerId === null
    ? `Without a token: ${count}. \`hearth token adopt TOKEN\` moves them to a token.`
    : `Of the revoked token ${orphan.ownerId}: ${count}. \`hearth token adopt TOKEN --from ${orphan.ownerId}\` moves them to another one.`;
}

function toFields({ responseCount, conversationCount }: OwnedCount) {
  return { response_count: responseCount, conversation_count: conversationCount };
}

function withoutSecret(token: StoredToken) {
  const { id, name, permissions, createdAt, expiresAt, lastUsedAt, rateLimits } = token;
  return {
    id,
    name,
    permissions,
    created_at: createdAt,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
    requests_per_minute: rateLimits.requestsPerMinute,
    tokens_per_minute: rateLimits.tokensPerMinute,
    requests_per_day: rateLimits.requestsPerDay,
    tokens_per_day: rateLimits.tokensPerDay,
    models: token.modelScope,
    priority: token.priority,
  };
}

function formatTime(time: Date | null): string {
  return time === null ? 'never' : formatMinute(time.toISOString());
}

const defaultPermissions = ['chat', 'embeddings', 'models:read'] as const;

export const tokenCreate = defineCommand({
  options: {
    name: text('--name <name>', 'Name of the token'),
    permissions: permissionsOption(` (default: ${defaultPermissions.join(',')})`),
    ...boundOptions,
    ...jsonOption,
  },
  examples: [
    'hearth token create --name laptop --permissions chat,models:read',
    'hearth token create --name guest --expires-in-days 7 --tokens-per-day 100000',
    'hearth token create --name lab --models qwen/*,hearth/starter-chat',
  ],
  async run({ context, options }) {
    const name = options.name?.trim() ?? '';
    if (name === '') throw new UsageError('The token needs a name: --name NAME.');
    const bounds = toBounds(options);
    const { output, messages } = context.terminal;
    const { record, token, orphan } = await withTokens(
      withMigration(context),
      async (tokens, store) => ({
        ...(await tokens.create({
          name,
          permissions: options.permissions ?? defaultPermissions,
          rateLimits: { ...noLimits, ...omitUndefined(bounds.rateLimits) },
          ...omitUndefined({
            expiresAt: bounds.expiresAt,
            modelScope: bounds.modelScope,
            priority: bounds.priority,
          }),
        })),
        orphan: (await store.owners.counts()).find(({ ownerId }) => ownerId === null),
      }),
    );
    if (options.json === true) {
      const { id, permissions, expiresAt } = record;
      output.json({ id, name, permissions, expires_at: expiresAt, token });
      return;
    }
    messages.line('Save this token now. It is not shown again.');
    output.line(token);
    if (orphan === undefined) return;
    messages.line(
      `Conversations without a token (${formatResponseCount(orphan)}) can be read with this token, but are not listed. \`hearth token adopt ${record.id}\` moves them to it.`,
    );
  },
});

export const tokenEdit = defineCommand({
  positionals: { id: required('Token id, as shown by `hearth token ls`') },
  options: {
    name: text('--name <name>', 'New name'),
    permissions: permissionsOption(),
    ...boundOptions,
    ...jsonOption,
  },
  examples: [
    'hearth token edit 3f9c01ab27 --tokens-per-day 200000 --models qwen/*',
    'hearth token edit 3f9c01ab27 --tokens-per-day default --models all',
    'hearth token edit 3f9c01ab27 --priority background',
  ],
  async run({ context, options, positionals: { id } }) {
    const { permissions } = options;
    const name = options.name?.trim();
    if (name === '') throw new UsageError('The name must not be empty.');
    const changed = await withTokens(withMigration(context), (_, { tokens }) =>
      tokens.update(id, { name, permissions, ...toBounds(options) }),
    );
    if (changed === undefined) throw unknownToken(id);
    const line = `Changed ${id}. It applies to the next requests.`;
    writeResult(context.terminal, options, withoutSecret(changed), line);
  },
});

export const tokenRm = defineCommand({
  positionals: { id: required('Token id, as shown by `hearth token ls`') },
  options: {
    deleteResponses: flag('--delete-responses', 'Delete the stored responses of the token'),
    moveTo: text('--move-to <token>', 'Id of the token that gets the stored responses'),
    ...jsonOption,
  },
  examples: [
    'hearth token rm 3f9c01ab27',
    'hearth token rm 3f9c01ab27 --move-to 81d20c44fe',
    'hearth token rm 3f9c01ab27 --delete-responses',
  ],
  async run({ context, options, positionals: { id } }) {
    const disposal = disposalOf(options.deleteResponses === true, options.moveTo);
    const revocation = await withTokens(withMigration(context), (_, store) =>
      revokeToken(store, id, disposal),
    );
    if (revocation.kind === 'unknown_token') throw unknownToken(revocation.id);
    const { responses } = revocation;
    const { output, messages } = context.terminal;
    if (options.json === true) {
      const { action } = disposal;
      output.json({ id, revoked: true, responses: { action, ...toFields(responses) } });
      return;
    }
    output.line(`Revoked ${id}`);
    if (responses.conversationCount === 0) return;
    const count = formatResponseCount(responses);
    switch (disposal.action) {
      case 'moved':
        messages.line(`Moved ${count} to ${disposal.to}.`);
        return;
      case 'deleted':
        messages.line(`Deleted ${count}.`);
        return;
      case 'kept':
        messages.line(
          `${count} remain, but no token lists them. \`hearth token adopt TOKEN --from ${id}\` moves them to another one.`,
        );
    }
  },
});

function disposalOf(deletes: boolean, moveTo: string | undefined): ResponseDisposal {
  if (moveTo === undefined) return { action: deletes ? 'deleted' : 'kept' };
  if (deletes) throw new UsageError('Use --delete-responses or --move-to, not both.');
  return { action: 'moved', to: moveTo };
}

export const tokenAdopt = defineCommand({
  positionals: { id: required('Id of the token that gets the responses') },
  options: {
    from: text(
      '--from <token>',
      'Id of the token to move them from, which may be revoked (default: responses without a token)',
    ),
    ...jsonOption,
  },
  examples: ['hearth token adopt 3f9c01ab27', 'hearth token adopt 3f9c01ab27 --from 81d20c44fe'],
  async run({ context, options, positionals: { id } }) {
    const from = options.from ?? null;
    const moved = await withTokens(withMigration(context), (_, store) =>
      moveResponses(store, from, id),
    );
    if (moved === undefined) throw unknownToken(id);
    const line = `Moved ${formatResponseCount(moved)} to ${id}.`;
    writeResult(context.terminal, options, { id, from, ...toFields(moved) }, line);
  },
});
