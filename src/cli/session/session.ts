import {
  deviceName,
  unknownSession,
  withSessions,
  type StoredSession,
} from '../../server/offline/sessions.ts';
import { formatMinute } from '../../kernel/format.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { flag, jsonOption, optional } from '../option.ts';
import { withMigration } from '../ui/progress.ts';
import { writeList } from '../ui/result.ts';

export const sessionLs = defineCommand({
  options: jsonOption,
  examples: ['hearth session ls'],
  async run({ context, options }) {
    const sessions = await withSessions(withMigration(context), (service) => service.list());
    writeList<StoredSession>(context.terminal, options, {
      result: { sessions: sessions.map(toFields) },
      rows: sessions,
      columns: [
        { title: 'ID', value: ({ id }) => id },
        { title: 'DEVICE', value: nameOf },
        { title: 'TOKEN', dropOrder: 3, value: ({ tokenId }) => tokenId },
        { title: 'ADDRESS', dropOrder: 2, value: ({ address }) => address },
        {
          title: 'SIGNED IN',
          dropOrder: 1,
          value: (each) => formatMinute(each.createdAt.toISOString()),
        },
        {
          title: 'LAST USED',
          dropOrder: 4,
          value: (each) => formatMinute(each.lastUsedAt.toISOString()),
        },
      ],
      ifEmpty: 'No browser is signed in. `hearth open` signs one in.',
    });
  },
});

function nameOf({ userAgent }: StoredSession): string {
  const { browser, system } = deviceName(userAgent);
  return [browser ?? [], system ?? []].flat().join(', ') || 'unknown';
}

function toFields(session: StoredSession) {
  return {
    id: session.id,
    token_id: session.tokenId,
    ...deviceName(session.userAgent),
    address: session.address,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
  };
}

export const sessionRm = defineCommand({
  positionals: { id: optional('Session id, as shown by `hearth session ls`') },
  options: { all: flag('--all', 'Sign out all browsers'), ...jsonOption },
  examples: ['hearth session rm b41e07d9c2a65f38', 'hearth session rm --all'],
  async run({ context, options, positionals: { id } }) {
    if ((id === undefined) === (options.all !== true)) {
      throw new UsageError('Name a session, or use --all. `hearth session ls` lists them.');
    }
    const revoked = await withSessions(withMigration(context), async (service) => {
      const ids = id === undefined ? (await service.list()).map((session) => session.id) : [id];
      const results = await Promise.all(ids.map((each) => service.revoke(each)));
      return ids.filter((_, index) => results[index] === true);
    });
    if (id !== undefined && revoked.length === 0) throw unknownSession(id);
    const { output } = context.terminal;
    if (options.json === true) output.json({ revoked });
    else for (const each of revoked) output.line(`Signed out ${each}`);
  },
});
