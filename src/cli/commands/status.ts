import { getStatus } from '../../api/v1/server/status-schema.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { connectionOptions, jsonOption } from '../option.ts';
import { formatBytes, formatDuration } from '../../kernel/format.ts';
import { writeInstances } from '../ui/instance-table.ts';
import { writeFields } from '../ui/table.ts';

export const status = defineCommand({
  options: { ...jsonOption, ...connectionOptions },
  examples: ['hearth status', 'hearth status --host http://192.168.1.5:1234'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const server = await client.call(getStatus, {}, context.signal);
    const { output } = context.terminal;
    if (options.json === true) {
      output.json({ url: client.baseUrl, ...server });
      return;
    }
    const { runtime, memory, instances } = server;
    const engineBytes = instances.reduce((sum, each) => sum + (each.resident_bytes ?? 0), 0);
    const upSeconds = Math.max(0, (Date.now() - Date.parse(server.started_at)) / 1000);
    writeFields(output, [
      ['Server', `${client.baseUrl} (pid ${server.pid}, up ${formatDuration(upSeconds)})`],
      ['Version', server.version],
      ['Home', server.home],
      ['Runtime', runtime === null ? 'none' : `${runtime.name} ${runtime.version}`],
      [
        'Memory',
        `${formatBytes(memory.resident_bytes)} server, ${formatBytes(engineBytes)} engines, ${formatBytes(memory.available_bytes)} available`,
      ],
      ['Loaded', instances.length === 0 ? 'no models' : undefined],
    ]);
    if (instances.length > 0) {
      output.line();
      writeInstances(output, instances);
    }
  },
});
