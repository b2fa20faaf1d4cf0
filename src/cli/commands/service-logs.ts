import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { flag, integer } from '../option.ts';
import { findService } from '../service/find-service.ts';
import { scopeOf, scopeOption } from '../service/service-options.ts';

export const serviceLogs = defineCommand({
  options: {
    ...scopeOption,
    follow: flag('-f, --follow', 'Print new lines until interrupted'),
    lines: integer('-n, --lines <count>', 'Number of lines (default: 100)', 1, 1_000_000),
    json: flag('--json', 'Print one JSON object per line'),
  },
  examples: ['hearth service logs -f', 'hearth service logs --json -n 1000'],
  async run({ context, options }) {
    const { environment, signal, terminal } = context;
    const { definition, isInstalled } = await findService(context, scopeOf(options));
    if (!isInstalled) {
      throw new CommandError(
        'The service is not installed. Install it with `hearth service install`; `hearth log` shows the log of a server without a service.',
      );
    }
    const [program = '', ...args] = definition.logsCommand(
      options.lines ?? 100,
      options.follow === true,
    );
    const stopped = AbortSignal.any([signal, terminal.outputClosed]);
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...environment },
    });
    const failed = once(child, 'error').then(([error]) => {
      throw new CommandError(`${program} cannot be started: ${String(error)}`);
    });
    const stop = () => child.kill();
    stopped.addEventListener('abort', stop);
    try {
      const print = async (): Promise<void> => {
        for await (const line of createInterface({ input: child.stdout })) {
          terminal.output.line(options.json === true ? toJson(line) : line);
        }
      };
      await Promise.race([print(), failed]);
    } finally {
      stopped.removeEventListener('abort', stop);
      child.kill();
    }
    signal.throwIfAborted();
  },
});

/** The log is JSON, apart from the messages of Node and of the service manager. */
function toJson(line: string): string {
  return line.startsWith('{') && line.endsWith('}') ? line : JSON.stringify({ msg: line });
}
