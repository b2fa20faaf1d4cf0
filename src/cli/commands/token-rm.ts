import {
  revokeToken,
  unknownToken,
  withTokens,
  type ResponseDisposal,
} from '../../server/offline/tokens.ts';
import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { UsageError } from '../failure.ts';
import { flag, jsonOption, required, text } from '../option.ts';
import { formatResponseCount } from '../ui/response-count.ts';

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
      const { responseCount, conversationCount } = responses;
      output.json({
        id,
        revoked: true,
        responses: {
          action: disposal.action,
          response_count: responseCount,
          conversation_count: conversationCount,
        },
      });
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
