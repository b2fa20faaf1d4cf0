import { getStatus } from '../../api/v1/server/status-schema.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { connectionOptions, jsonOption } from '../option.ts';
import { writeInstances } from '../ui/instance-table.ts';

export const ps = defineCommand({
  options: { ...jsonOption, ...connectionOptions },
  examples: ['hearth ps', 'hearth ps --json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const { instances } = await client.call(getStatus, {}, context.signal);
    const { output, messages } = context.terminal;
    if (options.json === true) output.json({ instances });
    else if (instances.length === 0) messages.line('No models are loaded.');
    else writeInstances(output, instances);
  },
});
