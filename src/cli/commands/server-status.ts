import { defineCommand } from '../command.ts';
import { findServer } from '../background/find-server.ts';
import { jsonOption } from '../option.ts';

export const serverStatus = defineCommand({
  options: jsonOption,
  examples: ['hearth server status', 'hearth server status --json'],
  async run({ context, options }) {
    const { output } = context.terminal;
    const found = await findServer(context.home);
    if (options.json === true) output.json({ running: found !== undefined, ...found });
    else if (found === undefined) output.line('Hearth is not running.');
    else output.line(`Hearth is running on ${found.url} (pid ${found.pid})`);
    return found === undefined ? 1 : 0;
  },
});
