import { listCommandWords } from '../completion/names.ts';
import { completionScript, shells } from '../completion/scripts.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { openLibrary } from '../../server/offline/models.ts';
import { required } from '../option.ts';

export const completion = defineCommand({
  positionals: { shell: required(`Shell: ${shells.join(', ')}`) },
  examples: [
    'source <(hearth completion bash)',
    'hearth completion fish > ~/.config/fish/completions/hearth.fish',
  ],
  async run({ context, positionals, commands }) {
    const { output } = context.terminal;
    if (positionals.shell === 'models') {
      // The scripts call it for the names of models.
      const models = await (await openLibrary(context)).list();
      for (const { key } of models) output.line(key);
      return;
    }
    const shell = shells.find((name) => name === positionals.shell);
    if (shell === undefined) {
      throw new UsageError(`Unknown shell. Allowed: ${shells.join(', ')}.`);
    }
    output.write(completionScript(shell, await listCommandWords(commands)));
  },
});
