import { defineCommand } from '../command.ts';
import { findServer } from '../background/find-server.ts';
import { jsonOption, text } from '../option.ts';

export const serverStatus = defineCommand({
  options: {
    ...jsonOption,
    token: text('--token <token>', 'Token to send; HEARTH_TOKEN otherwise'),
  },
  examples: ['hearth server status', 'hearth server status --json'],
  async run({ context, options }) {
    const { home, environment, signal, terminal } = context;
    const token = options.token ?? environment['HEARTH_TOKEN'];
    const found = await findServer(home, token, signal);
    if (options.json === true) {
      terminal.output.json({ running: found !== undefined, ...found?.record });
    } else if (found === undefined) {
      terminal.output.line('No server runs on this home folder.');
    } else {
      terminal.output.line(`Hearth runs on ${found.record.url} (pid ${found.record.pid})`);
    }
    return found === undefined ? 1 : 0;
  },
});
