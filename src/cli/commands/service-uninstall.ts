import { defineCommand } from '../command.ts';
import { jsonOption } from '../option.ts';
import { applySteps } from '../service/apply-steps.ts';
import { assertPermission } from '../service/assert-installable.ts';
import { findService } from '../service/find-service.ts';
import { dryRunOption, scopeOf, scopeOption } from '../service/service-options.ts';
import { showSteps } from '../service/show-steps.ts';

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
