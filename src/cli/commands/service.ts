import { choice, flag, integer, jsonOption } from '../option.ts';
import type { ServiceScope } from '../service/service-definition.ts';
import { realpath } from 'node:fs/promises';
import { readServerRecord } from '../../platform/home/server-record.ts';
import { defineCommand } from '../command.ts';
import { CommandError, UsageError } from '../failure.ts';
import { describeRemovedFlags, serveOptions, toCommandLine } from '../serve-options.ts';
import { applySteps, installService, restartService } from '../service/apply-steps.ts';
import { assertFolders, assertManager, assertPermission } from '../service/assert-installable.ts';
import { createService, findService } from '../service/find-service.ts';
import { serviceFacts } from '../service/service-facts.ts';
import { exampleMachine, readMachine } from '../service/service-machine.ts';
import { showSteps } from '../service/show-steps.ts';
import { probeServer } from '../client/probe-server.ts';
import { writeFields } from '../ui/table.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { withElapsed } from '../ui/progress.ts';

/** Option of every command of the group `service`. */
export const scopeOption = {
  user: flag('--user', 'The user service, instead of the system service'),
};

export const dryRunOption = {
  dryRun: flag('--dry-run', 'Print the files and commands, and change nothing'),
};

/** The scope that an option selects; undefined if the command should look for the installed service. */
export function scopeOf(options: { readonly user: boolean | undefined }): ServiceScope | undefined {
  return options.user === true ? 'user' : undefined;
}

export const serviceInstall = defineCommand({
  options: {
    ...serveOptions,
    ...scopeOption,
    ...dryRunOption,
    platform: choice('--platform <platform>', 'With --dry-run: another platform', [
      'linux',
      'darwin',
      'win32',
    ]),
    ...jsonOption,
  },
  examples: [
    'sudo hearth service install --preload hearth/starter-chat',
    'hearth service install --user',
    'hearth service install --dry-run',
  ],
  async run({ context, options }) {
    const { output, messages } = context.terminal;
    const { platform, dryRun = false, json = false } = options;
    const scope = scopeOf(options) ?? 'system';
    if (platform !== undefined && !dryRun) throw new UsageError('--platform requires --dry-run.');
    if (!dryRun) {
      const user = scope === 'user' ? ['--user'] : [];
      assertPermission(context, scope, ['install', ...user, ...toCommandLine(options)]);
    }
    const machine =
      platform === undefined || platform === process.platform
        ? await readMachine({ ...context, entryPoint: await realpath(context.entryPoint) })
        : exampleMachine(platform);
    for (const warning of describeRemovedFlags(options)) messages.line(`warning: ${warning}`);
    const facts = await serviceFacts(context, machine, scope, options);
    const definition = createService(facts);
    const { name, file, files, register, restart, notes } = definition;
    if (dryRun) return showSteps(output, [...files, ...register, ...restart], json);

    await assertFolders(facts);
    await assertManager(context, facts);
    const isChanged = await installService(definition, context);
    const record = await readServerRecord(scope === 'system' ? facts.recordFolder : facts.home);
    if (json) return output.json({ name, file, changed: isChanged, url: record?.url ?? null });
    output.line(
      isChanged ? `Installed and started ${name} (${file})` : `${name} was already installed.`,
    );
    if (record !== undefined) output.line(`Hearth is listening on ${record.url}`);
    for (const note of notes) messages.line(note);
  },
});

export const serviceUninstall = defineCommand({
  options: { ...scopeOption, ...dryRunOption, ...jsonOption },
  examples: ['sudo hearth service uninstall', 'hearth service uninstall --user'],
  async run({ context, options }) {
    const { output, messages } = context.terminal;
    const { dryRun = false, json = false } = options;
    const { definition, facts, isInstalled, isActive } = await findService(
      context,
      scopeOf(options),
    );
    const { name, uninstall, kept } = definition;
    if (dryRun) return showSteps(output, uninstall, json);
    const isPresent = isInstalled || isActive;
    if (isPresent) {
      assertPermission(context, facts.scope, ['uninstall']);
      await applySteps(uninstall, context);
    }
    if (json) return output.json({ name, removed: isPresent });
    if (!isPresent) return messages.line('The service is not installed.');
    output.line(`Removed ${name}`);
    for (const each of kept) messages.line(`Kept ${each}`);
  },
});

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

/** Log lines are JSON, except for messages of Node and of the service manager. */
function toJson(line: string): string {
  return line.startsWith('{') && line.endsWith('}') ? line : JSON.stringify({ msg: line });
}

export const serviceRestart = defineCommand({
  options: scopeOption,
  examples: ['sudo hearth service restart', 'hearth service restart --user'],
  async run({ context, options }) {
    const { definition, facts, isInstalled } = await findService(context, scopeOf(options));
    if (!isInstalled) {
      throw new CommandError(
        'The service is not installed. Install it with `hearth service install`.',
      );
    }
    assertPermission(context, facts.scope, ['restart']);
    // A restart takes time, since running answers finish first.
    await withElapsed(context.terminal.messages, 'Restarting the service', () =>
      restartService(definition, context),
    );
    context.terminal.output.line(`Restarted ${definition.name}`);
  },
});
