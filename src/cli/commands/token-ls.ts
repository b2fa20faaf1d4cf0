import {
  countResponses,
  withTokens,
  type OwnerCounts,
  type OwnedCount,
  type StoredToken,
} from '../../server/offline/tokens.ts';
import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { jsonOption } from '../option.ts';
import { formatResponseCount } from '../ui/response-count.ts';
import { writeTable } from '../ui/table.ts';

export const tokenLs = defineCommand({
  options: jsonOption,
  examples: ['hearth token ls', 'hearth token ls --json'],
  async run({ context, options }) {
    const { tokens, counts } = await withTokens(withMigration(context), async (service, store) => ({
      tokens: await service.list(),
      counts: await countResponses(store),
    }));
    const { output, messages } = context.terminal;
    if (options.json === true) {
      output.json({
        tokens: tokens.map((token) => ({
          ...withoutSecret(token),
          ...toFields(counts.of(token.id)),
        })),
        orphans: counts.orphans.map((orphan) => ({
          token_id: orphan.ownerId,
          ...toFields(orphan),
        })),
      });
    } else if (tokens.length === 0) {
      messages.line('No tokens. Create one with `hearth token create --name NAME`.');
    } else {
      writeTable<StoredToken>(
        output,
        [
          { title: 'ID', value: ({ id }) => id },
          { title: 'NAME', value: ({ name }) => name },
          { title: 'PERMISSIONS', dropOrder: 4, value: ({ permissions }) => permissions.join(',') },
          { title: 'CREATED', dropOrder: 1, value: ({ createdAt }) => formatTime(createdAt) },
          { title: 'EXPIRES', dropOrder: 3, value: ({ expiresAt }) => formatTime(expiresAt) },
          { title: 'LAST USED', dropOrder: 2, value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
          { title: 'RESPONSES', dropOrder: 5, value: ({ id }) => `${counts.of(id).responseCount}` },
        ],
        tokens,
      );
    }
    if (options.json !== true) {
      for (const orphan of counts.orphans) messages.line(describeOrphans(orphan));
    }
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
  };
}

/** To the minute, in UTC. */
function formatTime(time: Date | null): string {
  return time === null ? 'never' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
