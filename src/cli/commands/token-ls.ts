import type { StoredToken } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { withTokens } from '../local/tokens.ts';
import { jsonOption } from '../option.ts';
import { writeTable } from '../ui/table.ts';

export const tokenLs = defineCommand({
  options: jsonOption,
  examples: ['hearth token ls', 'hearth token ls --json'],
  async run({ context, options }) {
    const tokens = await withTokens(context, (service) => service.list());
    const { output, messages } = context.terminal;
    if (options.json === true) {
      output.json({ tokens: tokens.map(withoutSecret) });
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
        ],
        tokens,
      );
    }
  },
});

function withoutSecret({ id, name, permissions, createdAt, expiresAt, lastUsedAt }: StoredToken) {
  return {
    id,
    name,
    permissions,
    created_at: createdAt,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
  };
}

/** To the minute, in UTC. */
function formatTime(time: Date | null): string {
  return time === null ? 'never' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
