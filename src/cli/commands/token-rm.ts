import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { withTokens } from '../local/tokens.ts';
import { jsonOption, required } from '../option.ts';

export const tokenRm = defineCommand({
  positionals: { id: required('Token id, as shown by `hearth token ls`') },
  options: jsonOption,
  examples: ['hearth token rm 3f9c01ab27'],
  async run({ context, options, positionals: { id } }) {
    const isRevoked = await withTokens(context, (tokens) => tokens.revoke(id));
    if (!isRevoked) throw new CommandError(`No token has the id "${id}". See \`hearth token ls\`.`);
    const { output } = context.terminal;
    if (options.json === true) output.json({ id, revoked: true });
    else output.line(`Revoked ${id}`);
  },
});
