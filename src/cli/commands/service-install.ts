import { realpath } from 'node:fs/promises';
import { readServerRecord } from '../../platform/home/server-record.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { choice, jsonOption } from '../option.ts';
import { describeRemovedFlags, serveOptions, toCommandLine } from '../serve-options.ts';
import { installService } from '../service/apply-steps.ts';
import { assertFolders, assertManager, assertPermission } from '../service/assert-installable.ts';
import { createService } from '../service/create-service.ts';
import { serviceFacts } from '../service/service-facts.ts';
import { exampleMachine, readMachine } from '../service/service-machine.ts';
import { dryRunOption, scopeOf, scopeOption } from '../service/service-options.ts';
import { showSteps } from '../service/show-steps.ts';

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
