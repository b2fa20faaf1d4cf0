import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { permissionSchema, type Permission } from '../../kernel/permission.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { defineCommand, type OptionDeclaration } from '../command.ts';
import { UsageError } from '../failure.ts';
import { withTokens } from '../../server/offline/tokens.ts';
import { integer, jsonOption, text } from '../option.ts';
import { formatResponseCount } from '../ui/response-count.ts';

const permissionNames = permissionSchema.options;
const defaultPermissions = ['chat', 'embeddings', 'models:read'] as const;

const permissionsOption: OptionDeclaration<readonly Permission[]> = {
  flags: '--permissions <list>',
  summary: `Comma-separated permissions: ${permissionNames.join(', ')} (default: ${defaultPermissions.join(',')})`,
  parse: parsePermissions,
};

export const tokenCreate = defineCommand({
  options: {
    name: text('--name <name>', 'Name of the token'),
    permissions: permissionsOption,
    expiresInDays: integer(
      '--expires-in-days <days>',
      'Days until the token expires (default: never)',
      1,
      36_500,
    ),
    requestsPerMinute: integer(
      '--requests-per-minute <count>',
      'Most requests that generate, in a minute (default: limits.requestsPerMinute)',
      1,
      1_000_000_000,
    ),
    tokensPerMinute: integer(
      '--tokens-per-minute <count>',
      'Most tokens of prompts and answers, in a minute (default: limits.tokensPerMinute)',
      1,
      1_000_000_000,
    ),
    ...jsonOption,
  },
  examples: [
    'hearth token create --name laptop --permissions chat,models:read',
    'hearth token create --name guest --expires-in-days 7',
  ],
  async run({ context, options }) {
    const name = options.name?.trim() ?? '';
    if (name === '') throw new UsageError('The token needs a name: --name NAME.');
    const { output, messages } = context.terminal;
    const { record, token, orphan } = await withTokens(
      withMigration(context),
      async (tokens, store) => ({
        ...(await tokens.create({
          name,
          permissions: options.permissions ?? defaultPermissions,
          rateLimits: {
            requestsPerMinute: options.requestsPerMinute ?? null,
            tokensPerMinute: options.tokensPerMinute ?? null,
          },
          ...omitUndefined({ expiresAt: daysFromNow(options.expiresInDays) }),
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

function daysFromNow(days: number | undefined): Date | undefined {
  return days === undefined ? undefined : new Date(Date.now() + days * 24 * 3600 * 1000);
}

/** @throws UsageError */
function parsePermissions(list: string): readonly Permission[] {
  const names = list.split(',').map((name) => name.trim());
  const permissions = permissionNames.filter((permission) => names.includes(permission));
  if (permissions.length === new Set(names).size) return permissions;
  throw new UsageError(`Allowed: ${permissionNames.join(', ')}.`);
}
