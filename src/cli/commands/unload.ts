import { getStatus } from '../../api/v1/server/status-schema.ts';
import { unloadModel } from '../../api/v1/models/model-schema.ts';
import { ApiError } from '../client/client-error.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { UsageError } from '../failure.ts';
import { clientOptions, flag, optional } from '../option.ts';
import { printable } from '../../kernel/printable.ts';

export const unload = defineCommand({
  positionals: { instance: optional('Instance id, as shown by `hearth ps`') },
  options: {
    all: flag('--all', 'Unload all instances'),
    ...clientOptions,
  },
  examples: ['hearth unload hearth/starter-chat', 'hearth unload --all'],
  async run({ context, options, positionals: { instance } }) {
    if ((instance === undefined) === (options.all !== true)) {
      throw new UsageError(
        'Specify an instance id or --all: `hearth unload INSTANCE`. To stop the server, run `hearth server stop`.',
      );
    }
    const client = await connect(context, options);
    const { signal, terminal } = context;
    const ids =
      instance === undefined
        ? (await client.call(getStatus, {}, signal)).instances.map(({ id }) => id)
        : [instance];
    for (const id of ids) {
      await client
        .call(unloadModel, { body: { instance_id: id } }, signal)
        .catch((error: unknown) => {
          const isGone = error instanceof ApiError && error.code === 'instance_not_found';
          if (instance !== undefined || !isGone) throw error;
        });
      if (options.json !== true) terminal.output.line(`Unloaded ${printable(id)}`);
    }
    if (options.json === true) terminal.output.json({ unloaded: ids });
    else if (ids.length === 0) terminal.messages.line('No models are loaded.');
  },
});
