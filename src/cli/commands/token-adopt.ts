import { moveResponses, unknownToken, withTokens } from '../../server/offline/tokens.ts';
import { defineCommand } from '../command.ts';
import { withMigration } from '../ui/migration-progress.ts';
import { jsonOption, required, text } from '../option.ts';
import { formatResponseCount } from '../ui/response-count.ts';

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
    const { output } = context.terminal;
    const { responseCount, conversationCount } = moved;
    if (options.json === true)
      output.json({
        id,
        from,
        response_count: responseCount,
        conversation_count: conversationCount,
      });
    else output.line(`Moved ${formatResponseCount(moved)} to ${id}.`);
  },
});
