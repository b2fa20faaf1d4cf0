import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { restartService } from '../service/apply-steps.ts';
import { assertPermission } from '../service/assert-installable.ts';
import { findService } from '../service/find-service.ts';
import { scopeOf, scopeOption } from '../service/service-options.ts';
import { withElapsed } from '../ui/elapsed.ts';

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
    // Running answers finish first.
    await withElapsed(context.terminal.messages, 'Restarting the service', () =>
      restartService(definition, context),
    );
    context.terminal.output.line(`Restarted ${definition.name}`);
  },
});
