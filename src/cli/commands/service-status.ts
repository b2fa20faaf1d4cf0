import { readServerRecord } from '../../platform/home/server-record.ts';
import { probeServer } from '../client/probe-server.ts';
import { defineCommand } from '../command.ts';
import { jsonOption } from '../option.ts';
import { findService } from '../service/find-service.ts';
import { scopeOf, scopeOption } from '../service/service-options.ts';
import { writeFields } from '../ui/table.ts';

export const serviceStatus = defineCommand({
  options: { ...scopeOption, ...jsonOption },
  examples: ['hearth service status', 'hearth service status --json'],
  async run({ context, options }) {
    const { output } = context.terminal;
    const { definition, facts, isInstalled, isActive, state } = await findService(
      context,
      scopeOf(options),
    );
    const { scope, home, recordFolder } = facts;
    const { name, file } = definition;
    const record = await readServerRecord(scope === 'system' ? recordFolder : home);
    const probe = record === undefined ? undefined : await probeServer(record.url, context.signal);
    const isRunning = probe?.kind === 'hearth' && (isInstalled || isActive);
    if (options.json === true) {
      output.json({
        installed: isInstalled,
        running: isRunning,
        scope,
        name,
        file,
        state,
        ...(isRunning ? record : {}),
      });
    } else if (!isInstalled && !isRunning) {
      output.line('The service is not installed.');
    } else {
      writeFields(output, [
        ['Service', `${name} (${scope})`],
        ['File', isInstalled ? file : `${file} is missing: install or uninstall the service`],
        ['State', state ?? undefined],
        [
          'Server',
          isRunning && record !== undefined ? `${record.url} (pid ${record.pid})` : 'not running',
        ],
      ]);
    }
    return isRunning ? 0 : 1;
  },
});
